"""Commands around the study: explain, verify, reference, ledger, scaffold, summary, report, pages and manifest."""
