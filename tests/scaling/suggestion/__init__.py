"""Tests of the scaling models."""
