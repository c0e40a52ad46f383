"""Run by Python at its start, in processes of mutation tests only."""

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location("_substitution", Path(__file__).parents[1] / "substitution.py")
assert _spec is not None
assert _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
_module.from_environment()
