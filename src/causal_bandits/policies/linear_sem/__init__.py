"""Policies for bandits on linear structural equation models (`LinearSEMBandit`)."""
