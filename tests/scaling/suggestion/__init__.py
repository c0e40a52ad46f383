"""Tests of suggestions of points."""
