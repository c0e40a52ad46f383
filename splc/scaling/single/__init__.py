"""Scaling models of one parameter."""
