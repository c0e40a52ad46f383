"""Scaling models of several parameters."""
