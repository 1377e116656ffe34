"""What policies of several kinds share."""
