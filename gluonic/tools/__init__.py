"""Commands beside the library: ``python -m gluonic.tools.im2rec``."""
