"""Fixtures: those of the workflows, which scripts call."""

from tests.workflows.conftest import folder, project, runs

__all__ = ["folder", "project", "runs"]
