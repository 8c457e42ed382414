"""Native steps that move elements and compute nothing."""

from collections.abc import Sequence

from gluonic.codegen.assembler import Function, Module
from gluonic.codegen.facts import Facts
from gluonic.codegen.semantics import relabels
from gluonic.codegen.steps import Step
from gluonic.graph.node import Node


class CopyStep(Step):
    """A relabelled result that needs memory of its own."""

    def __init__(self, node: Node) -> None:
        self.operands = (node.inputs[0], node.entry())

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "CopyStep | None":
        """The step of a node that relabels what it reads."""
        assert node.application is not None
        kept = facts.dtypes[node.inputs[0]] == facts.dtypes[node.entry()] if node.inputs else False
        if not kept or not relabels(node.application) or facts.dtypes[node.entry()].hasobject:
            return None
        return cls(node)

    def numbers(self, facts: Facts) -> Sequence[int]:
        """How many bytes there are."""
        return (facts.bytes_of(self.operands[1]),)

    def emit(self, module: Module, name: str) -> None:
        """Write the function."""
        f = Function(module, name, ["ptr %operands", "ptr %numbers", "i64 %begin", "i64 %end"])
        source = f.op("load ptr, ptr %operands")
        second = f.op("getelementptr ptr, ptr %operands, i64 1")
        target = f.op(f"load ptr, ptr {second}")
        size = f.op("load i64, ptr %numbers")
        copy = "llvm.memcpy.p0.p0.i64"
        module.declare(copy, "void", ["ptr", "ptr", "i64", "i1"])
        f.do(f"call void @{copy}(ptr {target}, ptr {source}, i64 {size}, i1 false)")
        f.finish()
