"""The synthetic evaluations of two papers on scaling models."""
