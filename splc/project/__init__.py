"""What a project folder holds: its files, found and read."""

from splc.project.reading import Project

__all__ = ["Project"]
