"""What a call of machine code needs: a binding of its shapes, a frame of memory."""
