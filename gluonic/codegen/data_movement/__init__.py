"""Steps that only move elements: copies, joins, borders, rows that are looked up."""
