"""Policies of contextual bandits with a sensitive attribute (`FairBandit`)."""
