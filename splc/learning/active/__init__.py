"""Active learning: the configurations whose measurement tells the full model most, or may be better than the best."""
