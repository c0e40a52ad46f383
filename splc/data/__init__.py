"""Configurations, measurements, observed variables and experiments."""
