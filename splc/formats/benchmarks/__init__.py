"""The output of benchmark tools as tables of measurements: `read.py` reads, `tools.py` lists the formats."""
