"""Commands around the study: verify, reference, ledger, scaffold, planning, report and archive."""
