"""Files of experiments: Extra-P's formats, JSON lines, CSV."""
