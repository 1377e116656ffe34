"""One folder per paper: its figures, tables and claims."""
