"""Policies of bandits on linear structural equation models (`LinearSEMBandit`)."""
