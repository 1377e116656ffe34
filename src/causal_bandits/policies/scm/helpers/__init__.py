"""What policies of this kind share; no algorithms."""
