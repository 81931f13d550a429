"""The command ``structsvm``, as ``python -m structsvm``."""

import sys

from structsvm.command_line.main import main

if __name__ == "__main__":
    sys.exit(main())
