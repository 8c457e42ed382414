"""Libraries without Python: the machine code of a net and its weights behind functions for C."""
