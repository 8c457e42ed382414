"""The launch of machine code for a set of shapes: its arguments, buffers and threads."""
