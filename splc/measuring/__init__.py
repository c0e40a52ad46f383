"""Measuring: run a command for each configuration and repetition, and record what it reports.

`command` makes argument vectors, `runner` runs one process, `properties` reads values from its output, `execution` and
`batch` return results, `journal` stores them, `plan` determines the order of runs, `setup` is what sessions have in
common, `session` is the loop, and `cluster` and `distribution` do runs on other machines.
"""
