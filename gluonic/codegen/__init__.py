"""The compiler: from a graph to machine code for fused loops, and the programs that run it."""
