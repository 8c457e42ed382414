"""Fused loop nests: operators as loops, the fusion of operators into groups, and their kernels."""
