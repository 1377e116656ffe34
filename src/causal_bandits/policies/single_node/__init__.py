"""Policies for bandits whose arms set one variable (`SingleNodeBandit`)."""
