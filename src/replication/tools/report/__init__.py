"""The report: one page that opens from disk, with every verdict, figure, table and curve of the results at hand."""
