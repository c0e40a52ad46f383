"""The evaluation of suggestions: error against number of rows, and the search for the best configuration."""
