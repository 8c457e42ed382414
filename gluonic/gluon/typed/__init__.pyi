"""Types of what is made at run time."""
