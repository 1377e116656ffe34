"""What the tests of entries share."""

#: Options of the problem that the made entry plays.
SIZES = {"nodes": 3, "confounders": 2}
