"""What the compiler knows of operators: one entry an operator, in files that mirror `graph/ops/` by family."""
