"""Counts and costs: what hypre's solvers send and compute, learned from counts, and times as sums of counts."""
