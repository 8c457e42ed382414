"""Extension libraries: operators, partitioners and graph passes from compiled C++ code.

binary      an opened library: its functions, called under guard; its messages
guard       machine code that turns C++ exceptions into error messages
signatures  the functions of each version of the interface
catalogue   what a library registers, checked before any of it is used
operators   its operators as operators of the registry
inference   counts, shapes and dtypes, as the library computes them
compute     forward and backward on arrays, and the states of stateful operators
backends    its partitioners and passes, for ``optimize_for``
"""
