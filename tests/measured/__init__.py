"""What MXNet 1.9.1 computes, measured with it, to compare gluonic with.

Each module here builds its cases for whichever package it is given, and a JSON file beside it holds
the results. ``python tests/measured/measure.py mxnet losses`` measures it again, in an environment
that has the real MXNet.
"""
