"""Baselines: scikit-learn's predictors, learned from the same rows as a model with readable terms."""
