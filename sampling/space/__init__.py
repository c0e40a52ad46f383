"""The valid configurations of a system without a solver: exact but for draws from what is too complex to count."""
