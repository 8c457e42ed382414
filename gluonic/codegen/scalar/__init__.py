"""Scalar programs: operators' expressions as lists of operations, recorded once."""
