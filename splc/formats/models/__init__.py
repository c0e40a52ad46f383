"""Files of models: JSON, logs, model text, and exports."""
