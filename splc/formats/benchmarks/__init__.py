"""The output of benchmark tools as tables of measurements: `read.py` reads, `registry.py` lists the formats."""
