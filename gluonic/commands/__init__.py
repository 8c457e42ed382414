"""The command line, ``gluonic COMMAND``: a file for each command, and `table`, which lists them all."""
