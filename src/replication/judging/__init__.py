"""Judge published claims against the tidy tables: bind claims to judges, judge them and write verdicts."""
