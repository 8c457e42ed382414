"""Texts of steps' functions that were written for other graphs or shapes.

Writing the functions takes half of what code for other sizes costs, and most of them are those of the code for
the sizes before.
"""

from collections import OrderedDict
from collections.abc import Hashable

from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.support.locks import lock

MOST_BYTES = 4 << 20
"""The most bytes of text that are kept."""
_NAME = "function.of.a.step"


class WrittenFunctions:
    """The latest functions of steps whose `code` determines their text, with the functions that they call.

    Attributes
    ----------
    size : the bytes of all texts
    """

    def __init__(self) -> None:
        self._modules: OrderedDict[Hashable, LLVMModule] = OrderedDict()
        self.size = 0
        self._lock = lock()

    def write(self, module: LLVMModule, name: str, step: Step) -> None:
        """Write the function of a step into a module."""
        key = module.target, step.code
        with self._lock:
            written = self._modules.pop(key, None)
            self.size -= _size(written) if written else 0
        if written is None:
            written = LLVMModule(module.target)
            step.emit(written, _NAME)
        with self._lock:
            if key not in self._modules:
                self._modules[key] = written
                self.size += _size(written)
            while self.size > MOST_BYTES:
                self.size -= _size(self._modules.popitem(last=False)[1])
        module.include(written)
        text = module.definitions.pop(_NAME)
        module.definitions[name] = text.replace(_NAME, name, 1)


def _size(module: LLVMModule) -> int:
    return sum(map(len, module.definitions.values()))


WRITTEN = WrittenFunctions()
