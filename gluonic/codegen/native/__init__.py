"""The LLVM module of a graph: its steps, and the functions that call them."""
