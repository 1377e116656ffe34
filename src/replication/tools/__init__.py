"""Commands around the study: explain, verify, reference, ledger, scaffold, report and manifest."""
