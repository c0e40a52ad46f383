"""Designs for the numeric part of configurations."""
