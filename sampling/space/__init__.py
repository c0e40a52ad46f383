"""The valid configurations of a system, exactly and without a solver."""
