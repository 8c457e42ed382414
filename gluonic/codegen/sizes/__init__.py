"""What follows from a set of shapes: numbers for the machine code, memory, the shares of threads."""
