"""Paths that tests share: the checkout, its case studies, and the real measurements beside it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "casestudies"
SMG2000 = CASES / "smg2000"
BOOMERAMG = CASES / "boomeramg"
