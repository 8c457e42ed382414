"""Tests of `gluonic.graph.onednn`."""
