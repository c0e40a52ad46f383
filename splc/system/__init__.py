"""The description of a configurable system: options, constraints, variability model."""
