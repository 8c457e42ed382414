"""Expressions and functions over SIMD registers: the namespace that operators' expressions are read with."""
