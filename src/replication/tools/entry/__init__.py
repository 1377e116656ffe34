"""Entries of others in the arena.

Write a package, pack its results into one file, and check such a file.
"""
