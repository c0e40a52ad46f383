"""Measuring: a command is run once per configuration and repetition, and what it reports is recorded.

`template` makes argument vectors, `properties` reads values out of what a run prints, `runner` runs one process,
`execution` and `batch` make results of it, `journal` keeps them, `plan` says what is run in which order, `session` is
the loop, `cluster` spreads it over machines, and `results` makes measurements of a journal.
"""
