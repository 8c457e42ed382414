"""The machine code of the workers, threads that share the units of a step, without C and without Python.

This module has the shared state and the caller's code; the code of a worker is in `worker_thread_code`, that of
starting and stopping workers in `worker_lifetime_code`.

A *job* is one step's units of work, in chunks. Each thread that takes part has a range of chunks, the same one
whenever the step runs, so its caches keep what it read. Then it takes chunks of the others' ranges, so none
waits for a thread that was not scheduled. The first claim in a job finds that a range still has the number of
an earlier job, so nobody has to reset them.

`generation` has the number of threads in its lowest bits while a job is open, and zeros otherwise. A worker
registers in its slot, checks that the job is still open, and only then reads it. The caller closes the job when
no chunk is left, and waits for the registered workers. Both write before they read, with sequential
consistency, so at least one of them sees the other's write. A worker that is preempted before it registers
costs nothing; one that is preempted later delays the job by its chunk.

Idle workers spin on `generation` for a moment, then sleep, each on a condition variable of its own. A worker on
the caller's core leaves it to the caller. If the caller waited for workers longer than their chunks take, they
had no cores: fewer threads share jobs for a while. Several callers leave each other a core.
"""

import signal
from string import Template

from gluonic.codegen.machine.system_code import system_imports, system_text
from gluonic.codegen.machine.target import Target
from gluonic.codegen.machine.worker_lifetime_code import LIFETIME
from gluonic.codegen.machine.worker_thread_code import THREAD

_THREADS_BITS, _CLAIM_BITS = 8, 20
"""The bits of the number of threads in a generation, and of the number of a chunk in a claim."""
MOST_THREADS = 64
_WATCH = 500_000
"""How long an idle worker spins before it sleeps, in nanoseconds: longer than a loop takes between calls."""
_PATIENCE = 30_000
"""How long a caller that waits for workers spins, in nanoseconds, in addition to the time of two chunks."""
_NAP = 50_000
"""The length of each sleep of a caller that waits longer, in nanoseconds."""
_FEWER = 20
"""After waiting in vain, fewer threads share steps for this multiple of the waiting time."""
_ASIDE = 50_000, 3_200_000
"""How long a worker sleeps that was on the caller's core, in nanoseconds: first, and at most."""

_IMPORTS = (
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
EXPORTS = ("share", "reset", "stop", "allow")

_TEXT = Template("""
; What different threads write lies on cache lines of its own. Mutexes and conditions take less than 128 bytes.
; A job: function, operands, numbers, units, units of a chunk, the least number of chunks of a range, the ranges
; with one more, operands' count, and the bytes from a workspace to the next.
%job = type { ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }
; A thread: whether it is at a job, asleep, called; the first worker that it wakes, and the one after the last;
; its claims.
%slot = type { i64, i64, i64, i64, i64, [11 x i64], i64, [15 x i64] }
@generation = internal global i64 0, align 128
@job = internal global %job zeroinitializer, align 128
@slots = internal global [$most x %slot] zeroinitializer, align 128
@sleepers = internal global i64 0, align 128
@callers = internal global i64 0, align 128
@busy = internal global i64 0, align 128
@callers_core = internal global i32 -1, align 128
@limit = internal global i64 $most, align 128
@most = internal global i64 $most, align 8
@raise_at = internal global i64 0, align 8
@number = internal global i64 0, align 8
@stopping = internal global i64 0, align 8
@is_ready = internal global i64 0, align 8
@started = internal global i64 0, align 8
@threads = internal global [$most x i64] zeroinitializer, align 8
@mutexes = internal global [$most x [128 x i8]] zeroinitializer, align 128
@conditions = internal global [$most x [128 x i8]] zeroinitializer, align 128

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
define internal i64 @least(i64 %a, i64 %b) alwaysinline nounwind {
  %is_less = icmp slt i64 %a, %b
  %least = select i1 %is_less, i64 %a, i64 %b
  ret i64 %least
}

; How many threads may share steps now: one more than lately if some time has passed.
define internal i64 @raised(i64 %limit) noinline nounwind {
  %now = call i64 @now()
  %due = load atomic i64, ptr @raise_at monotonic, align 8
  %is_due = icmp sge i64 %now, %due
  %more = zext i1 %is_due to i64
  %raised = add i64 %limit, %more
  store atomic i64 %raised, ptr @limit monotonic, align 8
  ret i64 %raised
}

; How many workers are at the job that so many threads share.
define internal i64 @working(i64 %threads) nounwind {
entry:
  br label %next
next:
  %i = phi i64 [ 1, %entry ], [ %following, %count ]
  %sum = phi i64 [ 0, %entry ], [ %more, %count ]
  %some = icmp slt i64 %i, %threads
  br i1 %some, label %count, label %done
count:
  %at = getelementptr %slot, ptr @slots, i64 %i
  %works = load atomic i64, ptr %at seq_cst, align 8
  %more = add i64 %sum, %works
  %following = add i64 %i, 1
  br label %next
done:
  ret i64 %sum
}

; Wait for the workers at a closed job, of whose chunks the caller did some; note if they had no cores.
define internal void @wait(i64 %threads, i64 %begin, i64 %did) noinline nounwind {
entry:
  %closed = call i64 @now()
  %spent = sub i64 %closed, %begin
  %none = icmp eq i64 %did, 0
  %some = select i1 %none, i64 1, i64 %did
  %each = udiv i64 %spent, %some
  %twice = shl i64 %each, 1
  %patience = add i64 %twice, $patience
  br label %watch
watch:
  %late = phi i64 [ 0, %entry ], [ %late, %pause ], [ %first, %nap ]
  %active = call i64 @working(i64 %threads)
  %over = icmp eq i64 %active, 0
  %now = call i64 @now()
  %waited = sub i64 %now, %closed
  br i1 %over, label %judge, label %go_on
go_on:
  %patient = icmp slt i64 %waited, %patience
  br i1 %patient, label %pause, label %nap
pause:
  call void @pause()
  br label %watch
nap:
  %is_first = icmp eq i64 %late, 0
  %first = select i1 %is_first, i64 %active, i64 %late
  call void @nap(i64 $nap)
  br label %watch
judge:
  %timely = icmp eq i64 %late, 0
  br i1 %timely, label %done, label %scarce
scarce:
  %there = sub i64 %threads, %late
  %time = mul i64 %waited, $fewer
  %until = add i64 %now, %time
  store atomic i64 %until, ptr @raise_at monotonic, align 8
  store atomic i64 %there, ptr @limit monotonic, align 8
  br label %done
done:
  ret void
}

; Do all units of a step, together with workers that are free.
define void @share(ptr %function, ptr %operands, ptr %numbers, i64 %units, i64 %wanted_chunk, i64 %wanted,
                   i64 %count, i64 %stride) nounwind {
entry:
  %others = atomicrmw add ptr @callers, i64 1 seq_cst
  %most = load i64, ptr @most
  %limit = load atomic i64, ptr @limit monotonic, align 8
  %is_limited = icmp slt i64 %limit, %most
  br i1 %is_limited, label %raise, label %choose
raise:
  %raised = call i64 @raised(i64 %limit)
  br label %choose
choose:
  %now_limit = phi i64 [ %limit, %entry ], [ %raised, %raise ]
  %free = sub i64 %most, %others
  %useful = call i64 @least(i64 %now_limit, i64 %free)
  %meant = call i64 @least(i64 %wanted, i64 %useful)
  %are_several = icmp sgt i64 %meant, 1
  br i1 %are_several, label %try, label %alone
try:
  %pair = cmpxchg ptr @busy, i64 0, i64 1 seq_cst seq_cst
  %taken = extractvalue { i64, i1 } %pair, 1
  br i1 %taken, label %prepare, label %alone
prepare:
  %begin = call i64 @now()
  %workers = load i64, ptr @started
  %present = add i64 %workers, 1
  %few = icmp slt i64 %present, %meant
  br i1 %few, label %start, label %divide
start:
  call void @start(i64 %wanted)
  br label %divide
divide:
  %started = load i64, ptr @started
  %all = add i64 %started, 1
  %coming = call i64 @least(i64 %meant, i64 %all)
  ; the number of a chunk fits a claim
  %coarse = lshr i64 %units, $coarse_bits
  %is_fine = icmp slt i64 %wanted_chunk, %coarse
  %chunk = select i1 %is_fine, i64 %coarse, i64 %wanted_chunk
  %above = add i64 %units, %chunk
  %below = add i64 %above, -1
  %chunks = udiv i64 %below, %chunk
  %threads = call i64 @least(i64 %coming, i64 %chunks)
  %each = udiv i64 %chunks, %threads
  %divided = mul i64 %each, %threads
  %rest = sub i64 %chunks, %divided
  store ptr %function, ptr @job
  store ptr %operands, ptr getelementptr (%job, ptr @job, i32 0, i32 1)
  store ptr %numbers, ptr getelementptr (%job, ptr @job, i32 0, i32 2)
  store i64 %units, ptr getelementptr (%job, ptr @job, i32 0, i32 3)
  store i64 %chunk, ptr getelementptr (%job, ptr @job, i32 0, i32 4)
  store i64 %each, ptr getelementptr (%job, ptr @job, i32 0, i32 5)
  store i64 %rest, ptr getelementptr (%job, ptr @job, i32 0, i32 6)
  store i64 %count, ptr getelementptr (%job, ptr @job, i32 0, i32 7)
  store i64 %stride, ptr getelementptr (%job, ptr @job, i32 0, i32 8)
  %core = call i32 @core(i32 -1)
  %noted = load i32, ptr @callers_core
  %stays = icmp eq i32 %core, %noted
  br i1 %stays, label %open, label %note
note:
  store atomic i32 %core, ptr @callers_core monotonic, align 4
  br label %open
open:
  %last = load i64, ptr @number
  %number = add i64 %last, 1
  store i64 %number, ptr @number
  %closed_word = shl i64 %number, $threads_bits
  %word = or i64 %closed_word, %threads
  atomicrmw xchg ptr @generation, i64 %word seq_cst
  %sleepers = load atomic i64, ptr @sleepers seq_cst, align 8
  %asleep = icmp sgt i64 %sleepers, 0
  br i1 %asleep, label %wake, label %work
wake:
  ; A worker that gets less than two chunks does not pay for its waking.
  %pairs = lshr i64 %chunks, 1
  %paying = add i64 %pairs, 1
  %woken = call i64 @least(i64 %paying, i64 %threads)
  call void @wake(i64 1, i64 %woken)
  br label %work
work:
  %did = call i64 @work(i64 0, ptr %operands, i64 %word)
  atomicrmw xchg ptr @generation, i64 %closed_word seq_cst
  %left = call i64 @working(i64 %threads)
  %over = icmp eq i64 %left, 0
  br i1 %over, label %done, label %late
late:
  call void @wait(i64 %threads, i64 %begin, i64 %did)
  br label %done
done:
  store atomic i64 0, ptr @busy release, align 8
  br label %leave
alone:
  call void %function(ptr %operands, ptr %numbers, i64 0, i64 %units)
  br label %leave
leave:
  atomicrmw sub ptr @callers, i64 1 seq_cst
  ret void
}

$system""")


def workers_imports(target: Target) -> tuple[str, ...]:
    """The functions of the C library that the module calls."""
    return (*_IMPORTS, *system_imports(target))


def workers_text(target: Target) -> str:
    """The module of the workers in LLVM's textual form."""
    claims = (1 << _CLAIM_BITS) - 1
    numbers = {
        "threads_bits": _THREADS_BITS,
        "threads_mask": (1 << _THREADS_BITS) - 1,
        "claim_bits": _CLAIM_BITS,
        "claim_mask": claims,
        "tag_mask": ~claims,
        "coarse_bits": _CLAIM_BITS - 2,
        "watch": _WATCH,
        "patience": _PATIENCE,
        "nap": _NAP,
        "fewer": _FEWER,
        "shortest": _ASIDE[0],
        "longest": _ASIDE[1],
        "most": MOST_THREADS,
        "set_mask": int(signal.SIG_SETMASK),
    }
    return _TEXT.substitute(
        numbers,
        thread=THREAD.substitute(numbers),
        lifetime=LIFETIME.substitute(numbers),
        system=system_text(target),
    )
