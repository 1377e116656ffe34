"""Commands around the study: explain, verify, reference, ledger, scaffold, summary, report and pages."""
