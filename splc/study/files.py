"""What a study file is: samplings and learners of a system, or an evaluation with settings of its own."""

from __future__ import annotations

from pathlib import Path

from splc.formats.files import read_source
from splc.formats.toml import parse_toml
from splc.study.evaluation import Evaluation
from splc.study.evaluation_reading import PRESET, evaluation_of
from splc.study.reading import study_of
from splc.study.specification import Study


def read_study_file(path: str | Path) -> Study | Evaluation:
    """Read a study file; one that names a `preset` is an evaluation.

    Raises:
        InputError: if it cannot be read or is no TOML; or naming everything that is wrong in it, with lines.
    """
    source = read_source(path)
    content, lines = parse_toml(source)
    if PRESET in content:
        return evaluation_of(Path(path), source.name, content, lines)
    return study_of(Path(path), source, content, lines)
