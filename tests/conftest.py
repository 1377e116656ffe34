"""Settings of the whole suite: property tests are derandomised, so that a failure here is a failure everywhere."""

from hypothesis import settings

settings.register_profile("study", deadline=None, derandomize=True, max_examples=300, print_blob=True)
settings.load_profile("study")
