"""Element-wise work that kernels of products do before they store their results."""
