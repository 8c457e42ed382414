"""Tests of the commands: each runs as a process, as users start it, with bad input, too."""
