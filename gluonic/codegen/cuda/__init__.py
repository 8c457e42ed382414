"""Kernels for NVIDIA's GPUs, and graphs that run there."""
