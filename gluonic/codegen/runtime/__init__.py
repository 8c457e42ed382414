"""The state of a call of machine code: a binding of its shapes, a frame of memory."""
