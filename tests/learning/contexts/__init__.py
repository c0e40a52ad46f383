"""Tests of learning across contexts."""
