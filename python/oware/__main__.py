"""`python -m oware` runs the command `oware`."""

from __future__ import annotations

from oware.cli import main

if __name__ == "__main__":
    main()
