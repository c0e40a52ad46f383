"""The version of the project, in its only place."""

__version__ = "0.1.0"
