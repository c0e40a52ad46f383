"""A study: samplings × seeds × learners of one system, each compared with an analytical model and with measurements.

A study file is read (`specification`) with its inputs (`inputs`). Its tasks (`tasks`) are run into a folder (`folder`),
where each leaves a record. The learned models are compared (`results`) in tables and pictures (`tables`). `archive`
reads the folder again.
"""

from __future__ import annotations

from splc.study.specification import Study, StudyLearner, read_study
from splc.study.study import ContextStudies, StudyResult, run_study, run_study_by

__all__ = ["ContextStudies", "Study", "StudyLearner", "StudyResult", "read_study", "run_study", "run_study_by"]
