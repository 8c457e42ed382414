"""Fused loop nests: what operators are as loops, which of them run together, and their kernels."""
