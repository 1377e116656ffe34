"""Policies for contextual bandits with a sensitive attribute (`FairBandit`)."""
