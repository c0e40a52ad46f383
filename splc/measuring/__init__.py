"""Measuring: run a command for each configuration and repetition, and record what it reports.

`command` makes argument vectors, `runner` runs one process, `properties` reads values from its output, `execution` has
the plan of runs, `execution` and `batch` return their results, `journal` stores them, `setup` is what sessions have in
common, `session` is the loop, and `cluster` does runs on other machines.
"""
