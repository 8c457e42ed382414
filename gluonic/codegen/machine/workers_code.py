"""The machine code of the workers, threads that share the units of a step, without C and without Python.

This module has the shared state and the caller's code; the code of a worker is in `worker_thread_code`, that of
starting and stopping workers in `worker_lifetime_code`.

A *job* is one step's units of work. All participating threads claim chunks of it from a counter, so none waits
for a thread that was not scheduled. `generation` is odd while a job is open. A worker registers in `active`,
checks that the job is (still) open, and only then reads it. The caller closes the job when no chunk is left,
and waits for the registered workers. Both write before they read, with sequential consistency, so at least one
of them sees the other's write. A worker that is preempted before it registers costs nothing; one that is
preempted later delays the job by its chunk.

Idle workers spin on `generation` for a moment, then sleep on a condition variable. If the caller waited long
for the end of a job, or a worker is on the caller's core, cores are scarce: callers then work alone for a
while.
"""

import signal
from string import Template

from gluonic.codegen.machine.system_code import system_imports, system_text
from gluonic.codegen.machine.target import Target
from gluonic.codegen.machine.worker_lifetime_code import LIFETIME
from gluonic.codegen.machine.worker_thread_code import THREAD

MOST_THREADS = 64
_WATCH = 500000
"""How long an idle worker spins before it sleeps, in nanoseconds: longer than a loop takes between calls."""
_PATIENCE = 30_000
"""How long, at least, a caller that waits for workers spins before it sleeps, in nanoseconds."""
_REST = 16
"""After waiting in vain a caller works alone for this multiple of its waiting time."""
_ASIDE = 1_000_000
"""How long callers work alone after a worker was on the caller's core, in nanoseconds."""

_IMPORTS = (
    "pthread_cond_broadcast",
    "pthread_cond_init",
    "pthread_cond_signal",
    "pthread_cond_wait",
    "pthread_create",
    "pthread_join",
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_sigmask",
)
EXPORTS = ("share", "reset", "stop")

_TEXT = Template("""
; What different threads write lies on cache lines of its own. Mutexes and conditions take less than 128 bytes.
%job = type { ptr, ptr, ptr, i64, i64, i64, i64, i64, i32 }
@generation = internal global i64 0, align 128
@job = internal global %job zeroinitializer, align 128
@next = internal global i64 0, align 128
@active = internal global i64 0, align 128
@sleepers = internal global i64 0, align 128
@busy = internal global i64 0, align 128
@rest_until = internal global i64 0, align 128
@stopping = internal global i64 0, align 8
@is_ready = internal global i64 0, align 8
@started = internal global i64 0, align 8
@threads = internal global [$most x i64] zeroinitializer, align 8
@mutex = internal global [128 x i8] zeroinitializer, align 128
@condition = internal global [128 x i8] zeroinitializer, align 128

declare i32 @pthread_cond_broadcast(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
$thread
$lifetime
; Wake so many of the workers that sleep; each has counted itself before it looked whether it is called.
define internal void @wake(i64 %count) nounwind {
entry:
  call i32 @pthread_mutex_lock(ptr @mutex)
  call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %following, %next ]
  call i32 @pthread_cond_signal(ptr @condition)
  %following = add i64 %i, 1
  %more = icmp slt i64 %following, %count
  br i1 %more, label %next, label %done
done:
  ret void
}

; Do all units of a step, together with workers that are free.
define void @share(ptr %function, ptr %operands, ptr %numbers, i64 %units, i64 %chunk, i64 %threads,
                   i64 %count, i64 %stride) nounwind {
entry:
  %begin = call i64 @now()
  %rest = load atomic i64, ptr @rest_until monotonic, align 8
  %rested = icmp sge i64 %begin, %rest
  br i1 %rested, label %try, label %alone
try:
  %pair = cmpxchg ptr @busy, i64 0, i64 1 seq_cst seq_cst
  %taken = extractvalue { i64, i1 } %pair, 1
  br i1 %taken, label %prepare, label %alone
prepare:
  %started = load i64, ptr @started
  %there = add i64 %started, 1
  %few = icmp slt i64 %there, %threads
  br i1 %few, label %start, label %describe
start:
  call void @start(i64 %threads)
  br label %describe
describe:
  store ptr %function, ptr @job
  store ptr %operands, ptr getelementptr (%job, ptr @job, i32 0, i32 1)
  store ptr %numbers, ptr getelementptr (%job, ptr @job, i32 0, i32 2)
  store i64 %units, ptr getelementptr (%job, ptr @job, i32 0, i32 3)
  store i64 %chunk, ptr getelementptr (%job, ptr @job, i32 0, i32 4)
  store i64 %threads, ptr getelementptr (%job, ptr @job, i32 0, i32 5)
  store i64 %count, ptr getelementptr (%job, ptr @job, i32 0, i32 6)
  store i64 %stride, ptr getelementptr (%job, ptr @job, i32 0, i32 7)
  %core = call i32 @core(i32 0)
  store i32 %core, ptr getelementptr (%job, ptr @job, i32 0, i32 8)
  store atomic i64 0, ptr @next monotonic, align 8
  atomicrmw add ptr @generation, i64 1 seq_cst
  %sleepers = load atomic i64, ptr @sleepers seq_cst, align 8
  %asleep = icmp sgt i64 %sleepers, 0
  br i1 %asleep, label %wake, label %work
wake:
  ; A worker that gets less than two chunks does not pay for its waking.
  %chunks = udiv i64 %units, %chunk
  %more = add i64 %chunks, 1
  %useful = lshr i64 %more, 1
  %plenty = icmp sgt i64 %sleepers, %useful
  %woken = select i1 %plenty, i64 %useful, i64 %sleepers
  call void @wake(i64 %woken)
  br label %work
work:
  call void @work(ptr %operands)
  atomicrmw add ptr @generation, i64 1 seq_cst
  %left = load atomic i64, ptr @active seq_cst, align 8
  %all = icmp eq i64 %left, 0
  br i1 %all, label %done, label %late
late:
  %closed = call i64 @now()
  %spent = sub i64 %closed, %begin
  %half = lshr i64 %spent, 1
  %long = icmp sgt i64 %half, $patience
  %patience = select i1 %long, i64 %half, i64 $patience
  br label %watch
watch:
  %active = load atomic i64, ptr @active seq_cst, align 8
  %over = icmp eq i64 %active, 0
  %now = call i64 @now()
  %waited = sub i64 %now, %closed
  %patient = icmp slt i64 %waited, %patience
  br i1 %over, label %judge, label %wait
wait:
  br i1 %patient, label %pause, label %nap
pause:
  call void @pause()
  br label %watch
nap:
  call void @nap()
  br label %watch
judge:
  br i1 %patient, label %done, label %scarce
scarce:
  %pause_length = mul i64 %waited, $rest
  %until = add i64 %now, %pause_length
  store atomic i64 %until, ptr @rest_until monotonic, align 8
  br label %done
done:
  store atomic i64 0, ptr @busy release, align 8
  ret void
alone:
  call void %function(ptr %operands, ptr %numbers, i64 0, i64 %units)
  ret void
}

$system""")


def workers_imports(target: Target) -> tuple[str, ...]:
    """The functions of the C library that the module calls."""
    return (*_IMPORTS, *system_imports(target))


def workers_text(target: Target) -> str:
    """The module of the workers in LLVM's textual form."""
    numbers = {
        "watch": _WATCH,
        "patience": _PATIENCE,
        "rest": _REST,
        "aside": _ASIDE,
        "most": MOST_THREADS,
        "set_mask": int(signal.SIG_SETMASK),
    }
    return _TEXT.substitute(
        numbers,
        thread=THREAD.substitute(numbers),
        lifetime=LIFETIME.substitute(numbers),
        system=system_text(target),
    )
