"""Evaluations: cells of settings, each a task with rows of numbers, and a results folder with tables and pictures."""
