"""Play and aggregate: from the specification of a job to tidy tables."""
