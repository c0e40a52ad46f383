"""A study: samplings × seeds × learners of one system, each compared with an analytical model and with measurements.

read (`reader`) → tasks (`tasks`) → learn (`learning`, `doing`, `runner`) → compare (`results`) → tables, pictures,
manifest, all in one results folder (`folder`). An interrupted study continues where it stopped.
"""

from __future__ import annotations

from splc.study.reader import read_study
from splc.study.specification import Learner, Study
from splc.study.study import StudyResult, run_study

__all__ = ["Learner", "Study", "StudyResult", "read_study", "run_study"]
