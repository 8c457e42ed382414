"""Symbol JSON: read, brought up to date, and written."""
