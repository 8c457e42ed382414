"""The tests, and tools that search for faults that tests do not find."""

import os

# Stored graphs would hide what a test changes in the compiler; their own tests ask for them.
os.environ.setdefault("GLUONIC_CACHE", "objects")
