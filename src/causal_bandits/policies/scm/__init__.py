"""Policies for bandits on structural causal models whose arms set variables (`SCMBandit`)."""
