"""Policies for bandits on binary generalised linear models (`GLMBandit`)."""
