"""Policies of contextual bandits (`ContextualBandit`)."""
