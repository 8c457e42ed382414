"""What machine code is launched with, as shapes determine it: arguments, buffers, threads."""
