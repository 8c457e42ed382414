"""Steps that only move elements: copies, concatenation, padding, table look-ups."""
