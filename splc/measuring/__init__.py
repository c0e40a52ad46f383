"""Measuring: run a command for each configuration and repetition, and record what it reports.

`template` makes argument vectors, `properties` reads values from the output of a run, `runner` runs one process,
`execution` and `batch` return its results, `journal` stores them, `plan` determines the order of runs, `session` is
the loop, `cluster` distributes runs over machines, and `tables` makes measurements from a journal.
"""
