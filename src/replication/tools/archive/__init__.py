"""Prepare a run for an archive: a list of its outputs, and one package of workflow and results."""
