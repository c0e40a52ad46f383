"""Files of variability models."""
