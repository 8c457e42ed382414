"""What machine code is launched with, all of it following from shapes: arguments, buffers, threads."""
