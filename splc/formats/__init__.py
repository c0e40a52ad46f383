"""One file per file format, its `read_*` and `write_*` beside each other."""
