"""Connectionist temporal classification."""
