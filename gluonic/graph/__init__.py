"""Graphs and operators: their classes, inference, gradients, the interpreter, files, pictures.

Other rooms import the classes from here, and functions on graphs, such as inference, from the
modules.
"""

from gluonic.graph.application import Application, Signature
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import (
    REGISTRY,
    Array,
    NativeCall,
    Operator,
    Run,
    Signatures,
    shapes_and_dtypes,
)

__all__ = [
    "REGISTRY",
    "Application",
    "Array",
    "Entry",
    "Graph",
    "NativeCall",
    "Node",
    "Operator",
    "Run",
    "Signature",
    "Signatures",
    "shapes_and_dtypes",
]
