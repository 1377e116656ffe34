"""What a run of the study takes: its jobs, what each took before, and how long all of them take on N cores."""
