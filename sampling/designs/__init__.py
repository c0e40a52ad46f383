"""Sampling designs, one per file."""
