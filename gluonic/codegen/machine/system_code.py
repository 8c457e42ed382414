"""System calls and instructions of the workers: the time, a sleep, a pause, the number of a core."""

import time
from string import Template

from gluonic.codegen.machine.target import Target

_TEXT = Template("""
declare i32 @clock_gettime(i32, ptr)
declare i32 @nanosleep(ptr, ptr)

define internal i64 @now() nounwind {
  %time = alloca { i64, i64 }, align 8
  call i32 @clock_gettime(i32 $clock, ptr %time)
  %seconds = load i64, ptr %time
  %address = getelementptr { i64, i64 }, ptr %time, i32 0, i32 1
  %nanoseconds = load i64, ptr %address
  %whole = mul i64 %seconds, 1000000000
  %now = add i64 %whole, %nanoseconds
  ret i64 %now
}

define internal void @nap(i64 %nanoseconds) noinline cold nounwind {
  %time = alloca { i64, i64 }, align 8
  store i64 0, ptr %time
  %address = getelementptr { i64, i64 }, ptr %time, i32 0, i32 1
  store i64 %nanoseconds, ptr %address
  call i32 @nanosleep(ptr %time, ptr null)
  ret void
}

; A moment in which the processor may do something else.
$declaration
define internal void @pause() alwaysinline nounwind {
  $pause
  ret void
}

; The core that this thread is on; where the system does not tell, the number given.
$core
""")

_PAUSES = {
    "x86_64": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
}
_KNOWN_CORE = """declare i32 @sched_getcpu()
define internal i32 @core(i32 %otherwise) nounwind {
  %core = call i32 @sched_getcpu()
  ret i32 %core
}
"""
_UNKNOWN_CORE = """define internal i32 @core(i32 %otherwise) alwaysinline nounwind {
  ret i32 %otherwise
}
"""


def _tells_core(target: Target) -> bool:
    return "linux" in target.triple


def system_imports(target: Target) -> tuple[str, ...]:
    """The C library functions that the code calls."""
    asked = ("sched_getcpu",) if _tells_core(target) else ()
    return ("clock_gettime", "nanosleep", *asked)


def system_text(target: Target) -> str:
    """The functions ``@now``, ``@nap``, ``@pause`` and ``@core`` in LLVM's textual form."""
    declaration, pause = _PAUSES.get(target.architecture, ("", ""))
    return _TEXT.substitute(
        clock=time.CLOCK_MONOTONIC,
        declaration=declaration,
        pause=pause,
        core=_KNOWN_CORE if _tells_core(target) else _UNKNOWN_CORE,
    )
