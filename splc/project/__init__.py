"""What a project folder holds: its files, found and read."""

from splc.project.project import Project

__all__ = ["Project"]
