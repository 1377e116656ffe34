"""Policies of bandits whose arms have costs (`BudgetedSCMBandit`, `BudgetedGLMBandit`)."""
