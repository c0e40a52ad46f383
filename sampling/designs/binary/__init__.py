"""Designs for the binary part of configurations."""
