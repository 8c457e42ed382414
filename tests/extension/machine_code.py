"""Extension libraries without a compiler: their C functions written in LLVM IR and linked by the JIT.

`jit_scale` multiplies by a number that is 2, or, with a state, the number of the call. Its state is an
integer on the heap.
"""

import re
from collections.abc import Callable, Iterator

from gluonic.codegen.machine import jit
from gluonic.extension.binary import ExtensionBinary
from gluonic.extension.signatures import functions

_TYPES = {"i": "i32", "p": "ptr", "v": "void"}
_SUCCESS = "  ret i32 1\n"

_GLOBALS = """
declare ptr @malloc(i64)
declare void @free(ptr)
@scale = private constant [10 x i8] c"jit_scale\\00"
@state = private constant [10 x i8] c"jit_state\\00"
@cpu = private constant [4 x i8] c"cpu\\00"
@contexts = private constant [1 x ptr] [ptr @cpu]
@handles = private constant [1 x ptr] [ptr @cpu]
@message = private constant [12 x i8] c"no such way\\00"
@messages = global i32 0
@alive_states = global i32 0

define private void @multiply(ptr %in, ptr %out, ptr %shape, i32 %rank, float %factor) {
  br label %size
size:
  %axis = phi i32 [ 0, %0 ], [ %next_axis, %more ]
  %count = phi i64 [ 1, %0 ], [ %product, %more ]
  %end = icmp eq i32 %axis, %rank
  br i1 %end, label %loop, label %more
more:
  %place = getelementptr i64, ptr %shape, i32 %axis
  %length = load i64, ptr %place
  %product = mul i64 %count, %length
  %next_axis = add i32 %axis, 1
  br label %size
loop:
  %i = phi i64 [ 0, %size ], [ %next, %body ]
  %done = icmp eq i64 %i, %count
  br i1 %done, label %return, label %body
body:
  %from = getelementptr float, ptr %in, i64 %i
  %to = getelementptr float, ptr %out, i64 %i
  %x = load float, ptr %from
  %y = fmul float %x, %factor
  store float %y, ptr %to
  %next = add i64 %i, 1
  br label %loop
return:
  ret void
}
"""

# The first tensors of a compute call; the numbers are those of the parameters.
_MULTIPLY = """
  %shape = load ptr, ptr %a{shapes}
  %rank = load i32, ptr %a{ranks}
  %in = load ptr, ptr %a{data}
  %out = load ptr, ptr %a{out}
  call void @multiply(ptr %in, ptr %out, ptr %shape, i32 %rank, float %factor)
  ret i32 1
"""
_BODIES = {
    "initialize": "  %known = icmp eq i32 %a0, 10901\n  %result = zext i1 %known to i32\n  ret i32 %result\n",
    "_opRegSize": "  ret i32 2\n",
    "_opRegGet": """
  %is_scale = icmp eq i32 %a0, 0
  %name = select i1 %is_scale, ptr @scale, ptr @state
  %plain = zext i1 %is_scale to i32
  %stateful = sub i32 1, %plain
  store ptr %name, ptr %a1
  store i32 0, ptr %a2
  store ptr @contexts, ptr %a3
  store ptr @handles, ptr %a4
  store i32 %plain, ptr %a5
  store ptr @contexts, ptr %a6
  store ptr @handles, ptr %a7
  store i32 %plain, ptr %a8
  store ptr @contexts, ptr %a9
  store ptr @handles, ptr %a10
  store i32 %stateful, ptr %a11
  store ptr @cpu, ptr %a12
  store ptr @cpu, ptr %a13
  store ptr null, ptr %a14
  store ptr @cpu, ptr %a15
  store ptr null, ptr %a16
  ret void
""",
    "_opCallFree": "  call void @free(ptr %a0)\n  ret void\n",
    "_opCallParseAttrs": "  store i32 1, ptr %a4\n  store i32 1, ptr %a5\n" + _SUCCESS,
    "_opCallInferType": "  %type = load i32, ptr %a4\n  store i32 %type, ptr %a6\n" + _SUCCESS,
    # the shape of the input, for itself and for the output: three arrays of one member each, twice
    "_opCallInferShape": "  %rank = load i32, ptr %a5\n  %given = load ptr, ptr %a4\n"
    + "".join(
        f"""
  %ranks{k} = call ptr @malloc(i64 4)
  store i32 %rank, ptr %ranks{k}
  store ptr %ranks{k}, ptr %a{ranks}
  %arrays{k} = call ptr @malloc(i64 8)
  %axes{k} = call ptr @malloc(i64 256)
  call void @llvm.memcpy.p0.p0.i64(ptr %axes{k}, ptr %given, i64 32, i1 false)
  store ptr %axes{k}, ptr %arrays{k}
  store ptr %arrays{k}, ptr %a{arrays}
"""
        for k, (arrays, ranks) in enumerate(((7, 8), (9, 10)))
    )
    + _SUCCESS,
    "_opCallFCompute": """
  %asked = icmp sgt i32 %a3, 0
  br i1 %asked, label %fail, label %compute
fail:
  %before = load i32, ptr @messages
  %after = add i32 %before, 1
  store i32 %after, ptr @messages
  ret i32 0
compute:
  %factor = fadd float 2.0, 0.0
"""
    + _MULTIPLY.format(shapes=4, ranks=5, data=6, out=14),
    "_opCallCreateOpState": """
  %state = call ptr @malloc(i64 4)
  store i32 0, ptr %state
  store ptr %state, ptr %aLAST
  %before = load i32, ptr @alive_states
  %after = add i32 %before, 1
  store i32 %after, ptr @alive_states
"""
    + _SUCCESS,
    "_opCallDestroyOpState": """
  call void @free(ptr %a0)
  %before = load i32, ptr @alive_states
  %after = sub i32 %before, 1
  store i32 %after, ptr @alive_states
  ret void
""",
    "_opCallFStatefulCompute": """
  %before = load i32, ptr %a1
  %after = add i32 %before, %a0
  store i32 %after, ptr %a1
  %factor = sitofp i32 %after to float
"""
    + _MULTIPLY.format(shapes=2, ranks=3, data=4, out=12),
    "_msgSize": "  %count = load i32, ptr @messages\n  ret i32 %count\n",
    "_msgGet": "  store ptr @message, ptr %a1\n  ret void\n",
    "alive": "  %count = load i32, ptr @alive_states\n  ret i32 %count\n",
}


def _function(name: str, signature: str, version: int) -> str:
    result, arguments = signature.split(":")
    given = ", ".join(f"{_TYPES[letter]} %a{i}" for i, letter in enumerate(arguments))
    body = _BODIES.get(name, "  ret void\n" if result == "v" else "  ret i32 0\n")
    if name == "_opVersion":
        body = f"  ret i32 {version}\n"
    body = body.replace("%aLAST", f"%a{len(arguments) - 1}")
    return f"define {_TYPES[result]} @{name}({given}) {{\n{body}}}\n"


def _module(version: int, signatures: dict[str, str]) -> Iterator[str]:
    yield _GLOBALS
    yield "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
    for name, signature in signatures.items():
        yield _function(name, signature, version)


def make_library(
    version: int, without: str = "", change: Callable[[str], str] = lambda text: text
) -> tuple[ExtensionBinary, jit.LinkedLibrary]:
    """Link a library of a version of the interface.

    Parameters
    ----------
    without : a function that the library lacks
    change : changes the module's text
    """
    signatures = {**functions(version), "alive": "i:"}
    signatures.pop(without, None)
    text = change("\n".join(_module(version, signatures)))
    names = [name for name in signatures if re.search(rf"@{name}\(", text)]
    code = jit.load(text, names, ("malloc", "free"))
    binary = ExtensionBinary(
        f"machine code of version {version}", lambda name: code.addresses.get(name)
    )
    return binary, code  # the binary keeps the code alive
