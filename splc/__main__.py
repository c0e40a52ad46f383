"""`python -m splc` is `splc`."""

from splc.cli import main

if __name__ == "__main__":
    main()
