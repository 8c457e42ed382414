"""Tests of sparse arrays."""
