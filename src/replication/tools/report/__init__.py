"""The report: one page that opens from disk.

It has every verdict, figure, table and curve of the newest results.
"""
