"""Designs for whole configurations."""
