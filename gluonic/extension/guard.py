"""Safe calls of C++: machine code that catches exceptions, and the workspace of operators.

A C++ exception that reaches ctypes ends the process. So calls go through trampolines, one for each
signature, compiled by LLVM: ``guard(frame)`` calls ``frame[0]`` with the arguments ``frame[2:]``, puts
the result into ``frame[1]`` and returns NULL, or the text of the exception. All slots have 8 bytes.
"""

import ctypes
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from gluonic.extension.signatures import all_signatures

_RUNTIME = ("__gxx_personality_v0", "__cxa_begin_catch", "__cxa_end_catch", "_ZTISt9exception")
_C_FUNCTIONS = ("strdup", "aligned_alloc", "free")
_UNKNOWN = b"a C++ exception that is no std::exception\0"
_TYPES = {"i": "i32", "p": "ptr", "v": "void"}
_lock = threading.Lock()

Trampoline = Callable[[int], int | None]


class Guards(NamedTuple):
    """The compiled functions.

    Attributes
    ----------
    trampolines : by signature
    allocate : the address of the workspace allocator, ``void* (void** workspace, int bytes)``
    release : frees all memory allocated from a workspace
    enter : the address of what compiled graphs call: ``void (void** operands, int64_t* context)``, with the
        context that `compute.NativeComputation` makes
    """

    trampolines: dict[str, Trampoline]
    allocate: int
    release: Trampoline
    enter: int
    library: Any


def guards_for(resolve: Callable[[str], int | None]) -> Guards:
    """Return trampolines that catch a library's exceptions.

    Parameters
    ----------
    resolve : finds the address of a symbol that the library sees: its C++ runtime
    """
    addresses = tuple(resolve(name) or 0 for name in _RUNTIME)
    with _lock:
        return _linked(addresses if all(addresses) else ())


@cache
def _linked(runtime: tuple[int, ...]) -> Guards:
    """The trampolines for a C++ runtime; with none, there are no exceptions to catch."""
    from gluonic.codegen.machine import jit

    own = ["workspace_allocate", "workspace_release", "enter"]
    names = [*own, *map(_name, all_signatures())]
    imports = dict(zip(_RUNTIME, runtime, strict=True)) if runtime else {}
    library = jit.load(_module(bool(runtime)), names, _C_FUNCTIONS, symbols=imports)
    prototype = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
    return Guards(
        {signature: prototype(library[_name(signature)]) for signature in all_signatures()},
        library["workspace_allocate"],
        prototype(library["workspace_release"]),
        library["enter"],
        library,
    )


def _name(signature: str) -> str:
    return "guard_" + signature.replace(":", "_")


def _module(catching: bool) -> str:
    parts = [_WORKSPACE, _ENTER, _CATCHING if catching else ""]
    parts += [_trampoline(signature, catching) for signature in all_signatures()]
    return "\n".join(parts)


def _trampoline(signature: str, catching: bool) -> str:
    result, arguments = signature.split(":")
    lines = [
        f"define ptr @{_name(signature)}(ptr %frame) {_PERSONALITY if catching else ''} {{",
        "  %callee = load ptr, ptr %frame",
        "  %result = getelementptr i64, ptr %frame, i64 1",
    ]
    for number, letter in enumerate(arguments):
        lines += [
            f"  %slot{number} = getelementptr i64, ptr %frame, i64 {number + 2}",
            f"  %a{number} = load {_TYPES[letter]}, ptr %slot{number}",
        ]
    given = ", ".join(f"{_TYPES[letter]} %a{i}" for i, letter in enumerate(arguments))
    value = "" if result == "v" else "%value = "
    target = f"{_TYPES[result]} %callee({given})"
    if catching:
        lines += [f"  {value}invoke {target} to label %returned unwind label %thrown", "returned:"]
    else:
        lines.append(f"  {value}call {target}")
    if result != "v":
        lines.append(f"  store {_TYPES[result]} %value, ptr %result")
    lines.append("  ret ptr null")
    return "\n".join([*lines, _LANDING if catching else "}"])


_PERSONALITY = "personality ptr @__gxx_personality_v0"
_LANDING = """thrown:
  %caught = landingpad { ptr, i32 } catch ptr @_ZTISt9exception catch ptr null
  %kind = extractvalue { ptr, i32 } %caught, 1
  %standard = call i32 @llvm.eh.typeid.for.p0(ptr @_ZTISt9exception)
  %is_standard = icmp eq i32 %kind, %standard
  %thrown_object = extractvalue { ptr, i32 } %caught, 0
  %text = call ptr @text_of(ptr %thrown_object, i1 %is_standard)
  ret ptr %text
}"""
# `what()` is the third virtual function of std::exception, in every C++ ABI but Microsoft's.
_CATCHING = f"""
declare i32 @__gxx_personality_v0(...)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
declare i32 @llvm.eh.typeid.for.p0(ptr)
declare ptr @strdup(ptr)
@_ZTISt9exception = external constant ptr
@unknown = private constant [{len(_UNKNOWN)} x i8] c"{_UNKNOWN[:-1].decode()}\\00"

define private ptr @text_of(ptr %thrown, i1 %is_standard) {{
  %object = call ptr @__cxa_begin_catch(ptr %thrown)
  br i1 %is_standard, label %ask, label %done
ask:
  %functions = load ptr, ptr %object
  %slot = getelementptr ptr, ptr %functions, i64 2
  %what = load ptr, ptr %slot
  %answer = call ptr %what(ptr %object)
  br label %done
done:
  %text = phi ptr [ %answer, %ask ], [ @unknown, %0 ]
  %copy = call ptr @strdup(ptr %text)
  call void @__cxa_end_catch()
  ret ptr %copy
}}"""
# A workspace is a list of blocks; each begins with the address of the one before, in 64 bytes of its own.
_WORKSPACE = """
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)

define ptr @workspace_allocate(ptr %workspace, i32 %bytes) {
  %negative = icmp slt i32 %bytes, 0
  br i1 %negative, label %refuse, label %try
try:
  %wide = zext i32 %bytes to i64
  %more = add i64 %wide, 127
  %size = and i64 %more, -64
  %block = call ptr @aligned_alloc(i64 64, i64 %size)
  %none = icmp eq ptr %block, null
  br i1 %none, label %refuse, label %enter
enter:
  %before = load ptr, ptr %workspace
  store ptr %before, ptr %block
  store ptr %block, ptr %workspace
  %memory = getelementptr i8, ptr %block, i64 64
  ret ptr %memory
refuse:
  ret ptr null
}

define ptr @workspace_release(ptr %workspace) {
  br label %next
next:
  %block = load ptr, ptr %workspace
  %end = icmp eq ptr %block, null
  br i1 %end, label %done, label %drop
drop:
  %before = load ptr, ptr %block
  store ptr %before, ptr %workspace
  call void @free(ptr %block)
  br label %next
done:
  ret ptr null
}"""

# Points the frame's tensors at the operands, in versions nobody has seen, and calls it. The context:
# trampoline, frame, addresses of the inputs' data pointers, their number and versions, the same of the
# outputs, workspace, whether a call failed, what it threw, and a counter for versions.
_ENTER = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define private void @renew(ptr %versions, i64 %count, i64 %version) {
  br label %test
test:
  %i = phi i64 [ 0, %0 ], [ %next, %body ]
  %done = icmp eq i64 %i, %count
  br i1 %done, label %return, label %body
body:
  %place = getelementptr i64, ptr %versions, i64 %i
  store i64 %version, ptr %place
  %next = add i64 %i, 1
  br label %test
return:
  ret void
}

define void @enter(ptr %operands, ptr %context) {
""" + "\n".join(
    f"  %place{i} = getelementptr i64, ptr %context, i64 {i}\n  %{name} = load {kind}, ptr %place{i}"
    for i, (name, kind) in enumerate(
        {
            "trampoline": "ptr", "frame": "ptr", "in_data": "ptr", "in_count": "i64",
            "in_versions": "ptr", "out_data": "ptr", "out_count": "i64", "out_versions": "ptr",
            "workspace": "ptr", "failed": "i64", "thrown": "ptr", "last_version": "i64",
        }.items()
    )
) + """
  %version = add i64 %last_version, 1
  store i64 %version, ptr %place11
  call void @renew(ptr %in_versions, i64 %in_count, i64 %version)
  call void @renew(ptr %out_versions, i64 %out_count, i64 %version)
  %in_bytes = mul i64 %in_count, 8
  %out_bytes = mul i64 %out_count, 8
  %outputs = getelementptr ptr, ptr %operands, i64 %in_count
  call void @llvm.memcpy.p0.p0.i64(ptr %in_data, ptr %operands, i64 %in_bytes, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %out_data, ptr %outputs, i64 %out_bytes, i1 false)
  %text = call ptr %trampoline(ptr %frame)
  %result_place = getelementptr i64, ptr %frame, i64 1
  %result = load i32, ptr %result_place
  %unused = call ptr @workspace_release(ptr %workspace)
  %threw = icmp ne ptr %text, null
  %refused = icmp eq i32 %result, 0
  %bad = or i1 %threw, %refused
  %earlier = icmp ne i64 %failed, 0
  br i1 %bad, label %note, label %return
note:
  br i1 %earlier, label %drop, label %keep
drop:
  call void @free(ptr %text)
  br label %return
keep:
  store i64 1, ptr %place9
  store ptr %text, ptr %place10
  br label %return
return:
  ret void
}"""  # fmt: skip


class CallSlots:
    """The slots of one call.

    Parameters
    ----------
    callee : the address of the function
    arguments : addresses and whole numbers; what they point to must outlive the call
    """

    __slots__ = ("address", "slots")

    def __init__(self, callee: int, arguments: Sequence[int]) -> None:
        count = len(arguments) + 2
        self.slots = (ctypes.c_int64 * count)(callee, 0, *arguments)
        self.address = ctypes.addressof(self.slots)

    @property
    def result(self) -> int:
        """What the function returned, as a 32-bit number."""
        return ctypes.c_int32.from_address(self.address + 8).value
