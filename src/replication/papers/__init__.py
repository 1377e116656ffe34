"""One folder per paper: its problems, figures, tables and claims."""
