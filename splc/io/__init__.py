"""What every file format needs: whole-file writes, XML, CSV, strict JSON, TOML, numbers, tables, LaTeX."""
