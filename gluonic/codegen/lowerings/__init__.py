"""What the compiler knows about operators: one entry for each, in files that mirror `graph/ops/` by family."""
