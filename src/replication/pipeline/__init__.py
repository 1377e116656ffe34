"""From a configuration to tidy tables: jobs, files of runs, simulation and aggregation."""
