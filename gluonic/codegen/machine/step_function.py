"""The function of a step: its arguments, and access to them."""

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule


class StepFunction(LLVMFunction):
    """A function over addresses of operands, run-time numbers, and units of work from ``%begin`` to ``%end``.

    Parameters
    ----------
    module, name, passes_on : see `LLVMFunction`
    """

    def __init__(self, module: LLVMModule, name: str, *, passes_on: bool = False) -> None:
        arguments = ["ptr %operands", "ptr %numbers", "i64 %begin", "i64 %end"]
        super().__init__(module, name, arguments, passes_on=passes_on)

    def operand(self, position: int) -> str:
        """The address of an operand."""
        address = self.offset("%operands", position, "ptr")
        return self.load("ptr", address)

    def number(self, position: int) -> str:
        """A run-time number."""
        address = self.offset("%numbers", position, "i64")
        return self.load("i64", address)
