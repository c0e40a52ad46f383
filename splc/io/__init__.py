"""Reading and writing of files: whole-file writes, XML, CSV, strict JSON, TOML, numbers, tables, LaTeX."""
