"""Prepare a release: the list of the study's outputs, and a check of the built files."""
