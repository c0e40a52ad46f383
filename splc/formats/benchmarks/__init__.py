"""The output of benchmark tools as tables of measurements: `tools.py` lists the declarations of the formats."""
