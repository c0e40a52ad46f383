"""The evaluation of tests for change: false alarms, changes that are found, and names that are right."""
