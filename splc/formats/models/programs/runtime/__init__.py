"""The evaluator of prediction programs in modules that need Python's standard library only; one file in an export."""
