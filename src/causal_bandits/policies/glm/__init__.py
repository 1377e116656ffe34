"""Policies of bandits on binary generalised linear models (`GLMBandit`)."""
