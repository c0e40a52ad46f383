"""Prediction programs: what a learned model computes, as plain data, and its writers."""
