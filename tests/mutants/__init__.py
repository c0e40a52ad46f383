"""Mutation tests: `make mutants` (docs/reliability.md)."""
