"""``python -m replication.datasets``; see `replication.datasets.make`."""

import sys

from replication.datasets.make import main

if __name__ == "__main__":
    sys.exit(main())
