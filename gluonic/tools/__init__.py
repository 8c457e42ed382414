"""Command-line tools: ``python -m gluonic.tools.im2rec``."""
