"""What can go wrong on a real machine, tried on a small study: `make test-faults`."""
