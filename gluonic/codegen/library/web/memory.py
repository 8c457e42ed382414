"""The functions of the C library that a module of WebAssembly brings along: memory, in LLVM's text.

Blocks are taken behind all data, aligned to 64 bytes, each after 64 bytes that hold its size and the next freed
block. A freed block is used again, whole, by the next that fits into it.
"""

from gluonic.codegen.library.web.linking import HEAP_BASE
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.memory import ALIGNMENT

assert ALIGNMENT <= 64
_DEFINITIONS = {
    "heap.end": "@heap.end = internal global i32 0",
    "heap.freed": "@heap.freed = internal global ptr null",
    HEAP_BASE: f"@{HEAP_BASE} = external global i8",
    "malloc": f"""
define ptr @malloc(i64 %size) #0 {{
begin:
  %fits = icmp ule i64 %size, 4294901760
  br i1 %fits, label %look, label %none
look:
  %rounded = add i64 %size, 63
  %whole = and i64 %rounded, -64
  %needed = trunc i64 %whole to i32
  br label %search
search:
  %link = phi ptr [ @heap.freed, %look ], [ %next.link, %further ]
  %block = load ptr, ptr %link
  %last = icmp eq ptr %block, null
  br i1 %last, label %grow, label %compare
compare:
  %next.link = getelementptr i8, ptr %block, i32 4
  %room = load i32, ptr %block
  %enough = icmp uge i32 %room, %needed
  br i1 %enough, label %take, label %further
further:
  br label %search
take:
  %next = load ptr, ptr %next.link
  store ptr %next, ptr %link
  %taken = getelementptr i8, ptr %block, i32 64
  ret ptr %taken
grow:
  %kept = load i32, ptr @heap.end
  %is.new = icmp eq i32 %kept, 0
  %base = ptrtoint ptr @{HEAP_BASE} to i32
  %above = add i32 %base, 63
  %first = and i32 %above, -64
  %start = select i1 %is.new, i32 %first, i32 %kept
  %start.wide = zext i32 %start to i64
  %with.head = add i64 %start.wide, 64
  %end.wide = add i64 %with.head, %whole
  %pages = call i32 @llvm.wasm.memory.size.i32(i32 0)
  %pages.wide = zext i32 %pages to i64
  %room.wide = shl i64 %pages.wide, 16
  %lacking = icmp ugt i64 %end.wide, %room.wide
  br i1 %lacking, label %ask, label %use
ask:
  %missing = sub i64 %end.wide, %room.wide
  %missing.up = add i64 %missing, 65535
  %more.wide = lshr i64 %missing.up, 16
  %more = trunc i64 %more.wide to i32
  %got = call i32 @llvm.wasm.memory.grow.i32(i32 0, i32 %more)
  %failed = icmp eq i32 %got, -1
  br i1 %failed, label %none, label %use
use:
  %end = trunc i64 %end.wide to i32
  store i32 %end, ptr @heap.end
  %made = inttoptr i32 %start to ptr
  store i32 %needed, ptr %made
  %result = getelementptr i8, ptr %made, i32 64
  ret ptr %result
none:
  ret ptr null
}}
""",
    "free": """
define void @free(ptr %memory) #0 {
begin:
  %nothing = icmp eq ptr %memory, null
  br i1 %nothing, label %done, label %keep
keep:
  %block = getelementptr i8, ptr %memory, i32 -64
  %link = getelementptr i8, ptr %block, i32 4
  %next = load ptr, ptr @heap.freed
  store ptr %next, ptr %link
  store ptr %block, ptr @heap.freed
  br label %done
done:
  ret void
}
""",
    "aligned_alloc": """
define internal ptr @aligned_alloc(i64 %alignment, i64 %size) #0 {
  %result = call ptr @malloc(i64 %size)
  ret ptr %result
}
""",
}
ALLOCATION = "malloc", "free"
"""The functions that programs call, too, for inputs and outputs."""


def add_memory(module: LLVMModule) -> None:
    """Define the functions in a module, in place of those of a C library."""
    module.definitions.update(_DEFINITIONS)
    for name in _DEFINITIONS:
        module.imports.pop(name, None)
        module.declarations.pop(name, None)
    module.declare("llvm.wasm.memory.size.i32", "i32", ["i32"])
    module.declare("llvm.wasm.memory.grow.i32", "i32", ["i32", "i32"])
