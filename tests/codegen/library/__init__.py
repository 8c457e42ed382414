"""Tests of libraries without Python."""
