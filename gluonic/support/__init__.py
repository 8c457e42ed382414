"""What every room may use: locks, records, imports on first use, counts of processors and references."""
