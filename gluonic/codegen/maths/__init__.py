"""Expressions and functions over SIMD registers: the namespace that evaluates operators' expressions."""
