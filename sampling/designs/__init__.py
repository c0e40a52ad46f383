"""Sampling designs, a file per family."""
