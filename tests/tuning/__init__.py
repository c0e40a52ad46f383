"""Tests of tuning runs."""
