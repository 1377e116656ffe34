"""The engine: a YAML file of experiments becomes runs, tidy tables, figures and tables.

It knows no paper and no verdict.
"""
