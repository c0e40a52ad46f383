"""A study: samplings × seeds × learners of one system, each compared with an analytical model and with measurements.

A study file is read (`reader`), its tasks (`tasks`) are run (`runner`), and each leaves a record (`records`). The
learned models are compared (`results`) in tables and pictures, which are written with a manifest (`folder`).
"""

from __future__ import annotations

from splc.study.by import ContextStudies, run_study_by
from splc.study.reader import read_study
from splc.study.specification import Study, StudyLearner
from splc.study.study import StudyResult, run_study

__all__ = ["ContextStudies", "Study", "StudyLearner", "StudyResult", "read_study", "run_study", "run_study_by"]
