"""Mutation tests: `make mutants` (docs/developer/reliability.md)."""
