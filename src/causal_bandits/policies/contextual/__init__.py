"""Policies for contextual bandits (`ContextualBandit`)."""
