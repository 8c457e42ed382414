"""Operators' NumPy kernels as graphs: a kernel is called with arrays that note what is computed with them."""
