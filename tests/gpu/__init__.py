"""What only a machine with a GPU can show: `python -m tests.gpu`."""
