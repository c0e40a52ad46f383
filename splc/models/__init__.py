"""Performance-influence models: terms, influences, machine parameters."""
