"""What a judgement says under one of its readings."""


def under(found, name):
    """The judgement under the first reading whose name ends so."""
    return next(judged for reading, judged in found.readings if reading.endswith(name))


def counted(found, outcome):
    """Under how many readings that are run the outcome is this."""
    return sum(judged.outcome == outcome for _, judged in found.readings)
