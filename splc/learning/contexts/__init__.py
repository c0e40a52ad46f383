"""Contexts together: what changed between two versions, workloads or machines."""
