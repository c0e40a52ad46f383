"""The arithmetic grammar that step functions, constraints and model text share."""
