"""``python -m causal_bandits.datasets``; see `causal_bandits.datasets.make`."""

import sys

from causal_bandits.datasets.make import main

if __name__ == "__main__":
    sys.exit(main())
