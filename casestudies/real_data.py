"""The folder of the measurements of others, which the project does not contain: `SPLC_DATA`, else `../shared/data`.

Nothing else names this folder. It may be absent.
"""

from __future__ import annotations

import os
from pathlib import Path

DATA = Path(os.environ.get("SPLC_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data").absolute()
