"""Policies of bandits whose arms set one variable (`SingleNodeBandit`)."""
