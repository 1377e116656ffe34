"""Code shared by policies of several kinds."""
