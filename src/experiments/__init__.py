"""The engine, which turns a YAML file of experiments into runs, tidy tables, figures and tables.

It knows nothing about papers or verdicts.
"""
