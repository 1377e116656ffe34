"""Entries of others in the arena: write a package, pack its results into one file, and check such a file."""
