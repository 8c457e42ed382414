"""gluonic compared with the real MXNet 1.9.1, by hand: ``python -m tests.oracle.compare --help``.

Unlike :mod:`tests.measured`, whose numbers are kept, this runs MXNet at once, on as many cases as one likes.
Each module of cases has ``NAMES`` and ``run(mx, name, folder, hybridize, dtype)``, which computes a case with
whichever package it is given and returns arrays by name; it needs nothing but NumPy.
"""
