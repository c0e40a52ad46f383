"""Tests of the case studies."""
