"""Predict what a run of the study takes, and follow it: jobs, CPU minutes, memory, minutes on N cores."""
