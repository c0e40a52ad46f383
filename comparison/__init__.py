"""Comparison of models: by their terms (syntactic) and by their predictions (semantic)."""
