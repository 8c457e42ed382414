"""Networks known by name."""
