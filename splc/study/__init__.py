"""A study: samplings × seeds × learners of one system, each compared with an analytical model and with measurements.

read (`reading`) → tasks (`tasks`) → learn (`learning`, `doing`, `running`) → compare (`comparing`) → tables, pictures,
manifest, all in one results folder (`folder`) that can be interrupted and gone on with at any moment.

An evaluation (`evaluation`, `evaluating`) is a study of functions that are drawn, by which scaling models are judged.
"""

from __future__ import annotations

from splc.study.evaluating import EvaluationResult, run_evaluation
from splc.study.evaluation import Evaluation
from splc.study.evaluation_reading import evaluation_preset
from splc.study.files import read_study_file
from splc.study.reading import read_study
from splc.study.specification import Learner, Study
from splc.study.study import StudyResult, run_study

__all__ = [
    "Evaluation",
    "EvaluationResult",
    "Learner",
    "Study",
    "StudyResult",
    "evaluation_preset",
    "read_study",
    "read_study_file",
    "run_evaluation",
    "run_study",
]
