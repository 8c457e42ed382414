"""Graphs and operators: what they are, inference, gradients, the interpreter, files, pictures.

The rooms that use graphs import from here what these are made of. What is done with graphs, such as
inference, they import by the name of its module.
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
