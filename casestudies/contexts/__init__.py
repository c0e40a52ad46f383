"""Models of contexts that are learned together, alone, and by a random forest."""
