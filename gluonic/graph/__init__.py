"""Graphs and operators: what they are, inference, gradients, the interpreter, files, pictures."""
