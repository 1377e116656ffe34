"""A table as a paper prints it, for the report on a small study."""

from replication.tools.report.printed import Cell, Head, Line, Table

#: The claim x.a beside nothing.
PRINTED = Table("x", "Table 1", "Owls", ((Head("n"), Head("ours")),), (Line((Head("1"),), (Cell("r", "c"), None)),))
