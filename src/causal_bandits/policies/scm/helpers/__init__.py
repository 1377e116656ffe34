"""Code shared by policies of this kind; no algorithms."""
