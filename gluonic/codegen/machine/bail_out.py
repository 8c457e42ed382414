"""Bail-out: machine code leaves a call to the interpreter, for instance to raise an error."""

BAIL_OUT = "bail_out"
"""The name, in the address table, of the flag that a step sets to leave the call to the interpreter."""


class BailOut(Exception):
    """Machine code bailed out of a call: the interpreter computes all of it, or raises the error."""
