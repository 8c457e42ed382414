"""Kernels of one instruction, and what it makes of arrays of operands."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gluonic.device import DeviceArray, DeviceFunction
from gluonic.device.emulated import EmulatedDevice

DEVICE = EmulatedDevice(0, total=1 << 24)
_PREFIXES = {1: "%p", 16: "%rs", 32: "%r", 64: "%rd"}


def bits_of(kind: str) -> int:
    """The size of a type of PTX such as ``u32``, in bits."""
    if kind == "pred":
        return 1
    number = int("".join(c for c in kind.removeprefix("bf").split("x")[0] if c.isdigit()))
    return number * 2 if kind.endswith("x2") else number


def dtype_of(kind: str) -> np.dtype[Any]:
    """The dtype of arrays whose elements are of a type of PTX; of bits where NumPy has none."""
    bits = bits_of(kind)
    if kind.startswith("bf") or kind.endswith("x2"):
        return np.dtype(f"u{bits // 8}")
    return np.dtype(
        f"{'i' if kind[0] == 's' else 'f' if kind[0] == 'f' else 'u'}{max(1, bits // 8)}"
    )


@cache
def _kernel(instruction: str, kinds: tuple[str, ...], result: str) -> DeviceFunction:
    body = []
    operands = []
    for number, kind in enumerate(kinds):
        bits = bits_of(kind)
        size = max(8, bits)
        register = f"{_PREFIXES[max(16, size)]}{10 + number}"
        body += [
            f"ld.param.b64 %rd1, [k_param_{number}];",
            f"mul.wide.u32 %rd2, %r1, {size // 8};",
            "add.s64 %rd3, %rd1, %rd2;",
            f"ld.global.b{size} {register}, [%rd3];",
        ]
        if kind == "pred":
            body.append(f"setp.ne.b16 %p{10 + number}, {register}, 0;")
            register = f"%p{10 + number}"
        operands.append(register)
    bits = bits_of(result)
    size = max(8, bits)
    target = f"{_PREFIXES[max(16, size) if bits > 1 else 1]}5"
    body.append(instruction.format(target, *operands) + ";")
    if result == "pred":
        body.append("selp.b16 %rs5, 1, 0, %p5;")
        target = "%rs5"
    body += [
        f"ld.param.b64 %rd1, [k_param_{len(kinds)}];",
        f"mul.wide.u32 %rd2, %r1, {size // 8};",
        "add.s64 %rd3, %rd1, %rd2;",
        f"st.global.b{size} [%rd3], {target};",
    ]
    parameters = ", ".join(f".param .u64 k_param_{number}" for number in range(len(kinds) + 1))
    lines = "\n".join(body)
    text = f"""
.version 7.8
.target sm_90
.address_size 64
.visible .entry k({parameters}) {{
    .reg .pred %p<20>; .reg .b16 %rs<20>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
    mov.u32 %r1, %tid.x;
    {lines}
    ret;
}}"""
    return DEVICE.load(text, ["k"])[0]


def run_one(
    instruction: str, kinds: Sequence[str], result: str, operands: Sequence[npt.NDArray[np.generic]]
) -> npt.NDArray[np.generic]:
    """What an instruction makes of arrays.

    Parameters
    ----------
    instruction : with ``{0}`` for its target, ``{1}`` for the first operand and so on
    kinds, result : the types of operands and result
    """
    function = _kernel(instruction, tuple(kinds), result)
    arrays = [
        DeviceArray.of_host(DEVICE, np.asarray(x, dtype_of(k)))
        for x, k in zip(operands, kinds, strict=True)
    ]
    target = DeviceArray.empty(DEVICE, (len(operands[0]),), dtype_of(result))
    addresses = [array.address for array in (*arrays, target)]
    DEVICE.launch(function, (1, 1, 1), (len(operands[0]), 1, 1), addresses)
    return target.to_host()
