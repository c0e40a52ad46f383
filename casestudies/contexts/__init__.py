"""How much the rows of other contexts save: models of values learned together, alone, and by a random forest."""
