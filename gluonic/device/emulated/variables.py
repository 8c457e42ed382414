"""The variables of a module of PTX: where they lie, what they contain at first."""

from __future__ import annotations

import numpy as np

from gluonic.device.emulated.formats import Array
from gluonic.device.emulated.syntax import PtxModule, SymbolOperand, Variable


class VariableLayout:
    """Where the variables of a module in shared and local memory lie.

    Parameters
    ----------
    module : the module

    Attributes
    ----------
    addresses : by name, each in the space of the variable
    local_size, shared_size : of all of them, in bytes
    """

    def __init__(self, module: PtxModule) -> None:
        self.addresses: dict[str, int] = {}
        self.local_size = self.shared_size = 0
        dynamic = []
        variables = [
            *module.variables.values(),
            *(v for f in module.functions.values() for v in f.variables.values()),
        ]
        for variable in variables:
            if variable.space == "shared" and variable.size == 0:
                dynamic.append(variable)
            elif variable.space == "shared":
                start = _aligned(self.shared_size, variable.alignment)
                self.addresses[variable.name], self.shared_size = start, start + variable.size
            elif variable.space == "local":
                start = _aligned(self.local_size, variable.alignment)
                self.addresses[variable.name], self.local_size = start, start + variable.size
        for variable in dynamic:
            self.shared_size = _aligned(self.shared_size, variable.alignment)
            self.addresses[variable.name] = self.shared_size


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // max(1, alignment)) * max(1, alignment)


def contents_of(variable: Variable, addresses: dict[str, int]) -> Array:
    """The initial bytes of a variable; those that are not given are 0."""
    data = bytearray()
    for value in variable.contents:
        if isinstance(value, int):
            data += (value % 256**variable.element_size).to_bytes(variable.element_size, "little")
            continue
        symbol, byte = value
        if not isinstance(symbol, SymbolOperand) or symbol.name not in addresses:
            raise NotImplementedError(f"the initial value of {variable.name}")
        address = (addresses[symbol.name] + symbol.offset).to_bytes(8, "little")
        data += address if byte < 0 else address[byte : byte + 1]
    return np.frombuffer(bytes(data).ljust(variable.size, b"\0"), "u1")
