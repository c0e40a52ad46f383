"""Which configurations of a system to measure: its valid space, and designs that pick from it."""
