"""An evaluation of scaling models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import splc.scaling
from casestudies.evaluation.evaluation import Evaluation


@dataclass(frozen=True)
class ScalingEvaluation(Evaluation):
    """An evaluation whose finished tasks are run again where the code of scaling models has changed."""

    folders: ClassVar[tuple[Path, ...]] = (Path(splc.scaling.__file__).parent, Path(__file__).parent)
