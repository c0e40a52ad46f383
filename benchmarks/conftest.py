"""Benchmarks of real measurements are skipped where these are absent."""

from tests.support.real_data import pytest_runtest_setup, pytest_sessionstart, pytest_terminal_summary  # noqa: F401
