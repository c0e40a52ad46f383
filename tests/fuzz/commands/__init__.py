"""Fuzzing of commands: generated projects × generated command lines, in forked processes (docs/developer)."""
