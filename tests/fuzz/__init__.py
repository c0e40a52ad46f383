"""Fuzzing of every reader: coverage-guided by atheris, and by repetition; see docs/developer/reliability.md."""
