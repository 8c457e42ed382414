"""Tests of the names and defaults of MXNet 2.0."""
