"""Files of measurements, configurations and observed variables."""
