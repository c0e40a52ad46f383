"""Tests of active learning."""
