"""Suggestions of points of scaling models to measure next."""
