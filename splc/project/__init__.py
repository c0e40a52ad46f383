"""Project folders: their files, found and read."""

from splc.project.project import Project

__all__ = ["Project"]
