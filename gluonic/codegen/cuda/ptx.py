"""From the text of an LLVM module to PTX, and to kernels that a device has loaded.

LLVM ends the process on an instruction that it cannot select for a GPU. So all instructions and intrinsics of a
module are looked up first in a list of those that it can.
"""

from __future__ import annotations

import re
from weakref import WeakKeyDictionary

from gluonic.codegen.loops.steps import Code
from gluonic.codegen.machine import cache
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.jit import assembly
from gluonic.codegen.machine.target import Target
from gluonic.device.device import Device, DeviceFunction, Loading
from gluonic.device.processors import Processor
from gluonic.support.caches import Cache
from gluonic.support.deferred_signals import deferred_signals
from gluonic.support.locks import lock

KERNEL = "kernel"
"""The name of the kernel in its module."""
_INSTRUCTIONS = """
    add sub mul udiv sdiv urem srem and or xor shl lshr ashr icmp fcmp fadd fsub fmul fdiv frem fneg
    select phi br ret switch unreachable load store alloca getelementptr bitcast trunc zext sext
    fptrunc fpext fptosi fptoui sitofp uitofp ptrtoint inttoptr addrspacecast
    extractelement insertelement shufflevector extractvalue insertvalue
    call fence atomicrmw cmpxchg freeze
"""
_INTRINSICS = re.compile(
    r"llvm\.(?:(?:fabs|sqrt|floor|ceil|trunc|rint|roundeven|copysign|minnum|maxnum|minimum|maximum|fma|fmuladd"
    r"|smin|smax|umin|umax|abs|ctpop|ctlz|cttz|fshl|fshr|bswap|bitreverse|fptosi\.sat|fptoui\.sat"
    r"|masked\.(?:load|store|gather|scatter)|memcpy|memset|memmove|prefetch|arithmetic\.fence)\..+"
    r"|codeview\.annotation|nvvm\..+)"
)
_OPCODE = re.compile(r"^  (?:%[\w.]+ = )?(?:tail |musttail |notail )?(\w+)", re.MULTILINE)
_CALLED = re.compile(r"\bcall [^@\n]*@([\w.$]+)\(")


class NoDeviceCodeError(Exception):
    """A kernel needs what a GPU has no instruction for, so the host computes the operator."""


def target_of(processor: Processor) -> Target:
    """A GPU as a target of LLVM."""
    major, minor = processor.ptx
    return Target("nvptx64-nvidia-cuda", processor.name, f"+ptx{major}{minor}", frozenset())


def check_selectable(text: str) -> None:
    """Refuse a module with instructions that LLVM may not be able to select.

    Raises
    ------
    NoDeviceCodeError
        naming one of them
    """
    for opcode in sorted(set(_OPCODE.findall(text)).difference(_INSTRUCTIONS.split())):
        raise NoDeviceCodeError(f"a GPU has no instruction for {opcode}")
    defined = set(re.findall(r"^define [^@\n]*@([\w.$]+)\(", text, re.MULTILINE))
    for name in set(_CALLED.findall(text)) - defined:
        if not _INTRINSICS.fullmatch(name):
            raise NoDeviceCodeError(f"a GPU has no {name}")


def ptx(text: str, processor: Processor) -> str:
    """The PTX of an LLVM module, compiled or from the disk cache.

    Raises
    ------
    NoDeviceCodeError
        if the module calls the C library, or has instructions that LLVM may not be able to select
    """
    check_selectable(text)
    target = target_of(processor)
    with deferred_signals():
        name = cache.key(text, target)
        return cache.fetch(name, lambda: assembly(text, target).encode()).decode()


def kernel_text(code: Code, processor: Processor) -> str:
    """The LLVM module of a kernel, which is called `KERNEL` there.

    Raises
    ------
    NoDeviceCodeError
        if it calls the C library
    """
    module = LLVMModule(target_of(processor))
    write, *arguments = code
    write(module, KERNEL, *arguments)
    return text_of(module)


def text_of(module: LLVMModule) -> str:
    """The text of a module for a GPU.

    Raises
    ------
    NoDeviceCodeError
        if it calls the C library
    """
    for name in module.imports:
        raise NoDeviceCodeError(f"a GPU has no {name}")
    return module.text()


_ptx: Cache[tuple[Code, Processor], str] = Cache()
_functions: WeakKeyDictionary[Device, dict[Code, DeviceFunction]] = WeakKeyDictionary()
_begun: WeakKeyDictionary[Device, dict[Code, Loading]] = WeakKeyDictionary()
_lock = lock()


def kernel_ptx(code: Code, processor: Processor) -> str:
    """The PTX of a kernel, made once for equal codes."""
    key = code, processor
    known = _ptx.get(key)
    if known is None:
        known = ptx(kernel_text(code, processor), processor)
        _ptx.remember(key, known)
    return known


def begin_to_load(code: Code, device: Device) -> None:
    """Make the PTX of a kernel that will be needed, and let the device load it meanwhile.

    Raises
    ------
    NoDeviceCodeError
        if the device cannot run it
    """
    with _lock:
        begun = _begun.setdefault(device, {})
        if code not in begun and code not in _functions.get(device, ()):
            begun[code] = device.begin_to_load(kernel_ptx(code, device.processor), [KERNEL])


def loaded(code: Code, device: Device) -> DeviceFunction:
    """A kernel in the memory of a device; equal codes share one."""
    with _lock:
        known = _functions.setdefault(device, {})
        if code not in known:
            begin_to_load(code, device)
            (known[code],) = _begun[device].pop(code)()
        return known[code]
