"""What machine code does with inputs that only the interpreter can answer, such as by an error: it says so."""

DECLINED = "declined"
"""What the number is called, in the address table, that a step makes 1 to leave the call to the interpreter."""


class Declined(Exception):
    """Machine code cannot answer a call: the interpreter is to compute all of it, or to say what is wrong."""
