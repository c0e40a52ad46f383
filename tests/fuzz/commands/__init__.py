"""Fuzzing of commands: generated projects × generated command lines, in forked processes; see docs/reliability.md."""
