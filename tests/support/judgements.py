"""What a judgement says under one of its readings, and the numbers that its reason tells."""

import re


def under(found, name):
    """The judgement under the first reading whose name ends so."""
    return next(judged for reading, judged in found.readings if reading.endswith(name))


def counted(found, outcome):
    """Under how many readings that are run the outcome is this."""
    return sum(judged.outcome == outcome for _, judged in found.readings)


def numbers(text):
    """The numbers of a sentence in order, as they are written; its words may be others tomorrow."""
    return re.findall(r"[-+]?\d(?:[\d,]*\d)?(?:\.\d+)?", text)
