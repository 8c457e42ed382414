"""The machine code of the workers: threads that share the units of a step, without C and without Python.

A *job* is one step's units of work; whoever takes part claims them chunk by chunk from a counter, so that
nobody waits for a thread that has been given nothing. `generation` is odd while a job is open. A worker
registers in `active`, looks whether the job is (still) open, and only then reads what it is; the caller
closes the job when nothing is left to claim, and waits for those that are registered. Both write before they
read, sequentially consistent, so one of them sees the other. A worker whose core was taken before it
registered costs nothing, one whose core was taken later its one chunk.

Idle workers watch `generation` for a moment, then sleep on a condition. If the end of a job was long in
coming, or a worker finds itself on the caller's core, cores are scarce: callers then work alone for a while.
"""

import signal
from string import Template

from gluonic.codegen.machine.system_code import system_imports, system_text
from gluonic.codegen.machine.target import Target

MOST_THREADS = 64
_WATCH = 500000
"""For so many nanoseconds an idle worker watches before it sleeps: what a loop does between calls fits in."""
_PATIENCE = 30_000
"""For so many nanoseconds at least a caller who waits for workers watches before it sleeps."""
_REST = 16
"""How many times as long as it has waited in vain a caller works alone afterwards."""
_ASIDE = 1_000_000
"""For so many nanoseconds callers work alone after a worker was on the caller's core."""

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

; Claim chunks of the open job until none is left.
define internal void @work(ptr %operands) nounwind {
entry:
  %function = load ptr, ptr @job
  %numbers = load ptr, ptr getelementptr (%job, ptr @job, i32 0, i32 2)
  %units = load i64, ptr getelementptr (%job, ptr @job, i32 0, i32 3)
  %chunk = load i64, ptr getelementptr (%job, ptr @job, i32 0, i32 4)
  br label %claim
claim:
  %begin = atomicrmw add ptr @next, i64 %chunk monotonic
  %some = icmp slt i64 %begin, %units
  br i1 %some, label %do, label %done
do:
  %behind = add i64 %begin, %chunk
  %beyond = icmp sgt i64 %behind, %units
  %end = select i1 %beyond, i64 %units, i64 %behind
  call void %function(ptr %operands, ptr %numbers, i64 %begin, i64 %end)
  br label %claim
done:
  ret void
}

; Work with a workspace of one's own, whose address is the last operand.
define internal void @work_as(i64 %index) nounwind {
entry:
  %operands = load ptr, ptr getelementptr (%job, ptr @job, i32 0, i32 1)
  %count = load i64, ptr getelementptr (%job, ptr @job, i32 0, i32 6)
  %stride = load i64, ptr getelementptr (%job, ptr @job, i32 0, i32 7)
  %common = icmp eq i64 %stride, 0
  br i1 %common, label %same, label %own
same:
  call void @work(ptr %operands)
  ret void
own:
  %copy = alloca ptr, i64 %count, align 64
  %bytes = shl i64 %count, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %operands, i64 %bytes, i1 false)
  %last = add i64 %count, -1
  %place = getelementptr ptr, ptr %copy, i64 %last
  %first = load ptr, ptr %place
  %offset = mul i64 %index, %stride
  %workspace = getelementptr i8, ptr %first, i64 %offset
  store ptr %workspace, ptr %place
  call void @work(ptr %copy)
  ret void
}

define internal ptr @worker(ptr %argument) nounwind {
entry:
  %index = ptrtoint ptr %argument to i64
  br label %idle
idle:
  %left = phi i64 [ 0, %entry ], [ %seen, %leave ]
  %now = call i64 @now()
  %until = add i64 %now, $watch
  br label %watch
watch:
  %generation = load atomic i64, ptr @generation seq_cst, align 8
  %is_new = call i1 @is_new(i64 %generation, i64 %left)
  br i1 %is_new, label %join, label %pause
pause:
  call void @pause()
  %stopping = load atomic i64, ptr @stopping seq_cst, align 8
  %stops = icmp ne i64 %stopping, 0
  br i1 %stops, label %exit, label %look
look:
  %later = call i64 @now()
  %watching = icmp slt i64 %later, %until
  br i1 %watching, label %watch, label %sleep
sleep:
  %last = phi i64 [ %left, %look ], [ %seen, %aside ]
  call i32 @pthread_mutex_lock(ptr @mutex)
  atomicrmw add ptr @sleepers, i64 1 seq_cst
  br label %check
check:
  %current = load atomic i64, ptr @generation seq_cst, align 8
  %called = call i1 @is_new(i64 %current, i64 %last)
  %ending = load atomic i64, ptr @stopping seq_cst, align 8
  %ends = icmp ne i64 %ending, 0
  %wakes = or i1 %called, %ends
  br i1 %wakes, label %awake, label %wait
wait:
  call i32 @pthread_cond_wait(ptr @condition, ptr @mutex)
  br label %check
awake:
  atomicrmw sub ptr @sleepers, i64 1 seq_cst
  call i32 @pthread_mutex_unlock(ptr @mutex)
  br i1 %ends, label %exit, label %join
join:
  atomicrmw add ptr @active, i64 1 seq_cst
  %seen = load atomic i64, ptr @generation seq_cst, align 8
  %odd = and i64 %seen, 1
  %open = icmp eq i64 %odd, 1
  br i1 %open, label %enter, label %leave
enter:
  %threads = load i64, ptr getelementptr (%job, ptr @job, i32 0, i32 5)
  %meant = icmp slt i64 %index, %threads
  br i1 %meant, label %locate, label %leave
locate:
  %callers_core = load i32, ptr getelementptr (%job, ptr @job, i32 0, i32 8)
  %core = call i32 @core(i32 1)
  %same = icmp eq i32 %core, %callers_core
  br i1 %same, label %aside, label %help
aside:
  ; Whatever runs here, the caller does not.
  %present = call i64 @now()
  %rest_until = add i64 %present, $aside
  store atomic i64 %rest_until, ptr @rest_until monotonic, align 8
  atomicrmw sub ptr @active, i64 1 seq_cst
  br label %sleep
help:
  call void @work_as(i64 %index)
  br label %leave
leave:
  atomicrmw sub ptr @active, i64 1 seq_cst
  br label %idle
exit:
  ret ptr null
}

define internal i1 @is_new(i64 %generation, i64 %last) alwaysinline nounwind {
  %odd = and i64 %generation, 1
  %open = icmp eq i64 %odd, 1
  %other = icmp ne i64 %generation, %last
  %is_new = and i1 %open, %other
  ret i1 %is_new
}

; Make what sleeping needs, once, and start workers until there are so many threads with the caller.
define internal void @start(i64 %wanted) noinline cold nounwind {
entry:
  %all = alloca [128 x i8], align 16
  %before = alloca [128 x i8], align 16
  %stopping = load atomic i64, ptr @stopping seq_cst, align 8
  %stops = icmp ne i64 %stopping, 0
  br i1 %stops, label %done, label %prepare
prepare:
  %is_ready = load i64, ptr @is_ready
  %fresh = icmp eq i64 %is_ready, 0
  br i1 %fresh, label %make, label %block
make:
  call i32 @pthread_mutex_init(ptr @mutex, ptr null)
  call i32 @pthread_cond_init(ptr @condition, ptr null)
  store i64 1, ptr @is_ready
  br label %block
block:
  ; Workers inherit the mask: signals are for the threads of the program.
  call void @llvm.memset.p0.i64(ptr %all, i8 -1, i64 128, i1 false)
  call i32 @pthread_sigmask(i32 $set_mask, ptr %all, ptr %before)
  br label %next
next:
  %started = load i64, ptr @started
  %index = add i64 %started, 1
  %missing = icmp slt i64 %index, %wanted
  br i1 %missing, label %create, label %unblock
create:
  %place = getelementptr i64, ptr @threads, i64 %started
  %argument = inttoptr i64 %index to ptr
  %error = call i32 @pthread_create(ptr %place, ptr null, ptr @worker, ptr %argument)
  %fails = icmp ne i32 %error, 0
  br i1 %fails, label %unblock, label %count
count:
  store i64 %index, ptr @started
  br label %next
unblock:
  call i32 @pthread_sigmask(i32 $set_mask, ptr %before, ptr null)
  br label %done
done:
  ret void
}

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

; End the workers. Whoever calls later works alone.
define void @stop() nounwind {
entry:
  store atomic i64 1, ptr @stopping seq_cst, align 8
  %started = load i64, ptr @started
  %any = icmp sgt i64 %started, 0
  br i1 %any, label %call, label %done
call:
  call i32 @pthread_mutex_lock(ptr @mutex)
  call i32 @pthread_mutex_unlock(ptr @mutex)
  call i32 @pthread_cond_broadcast(ptr @condition)
  br label %next
next:
  %i = phi i64 [ 0, %call ], [ %following, %next ]
  %place = getelementptr i64, ptr @threads, i64 %i
  %thread = load i64, ptr %place
  call i32 @pthread_join(i64 %thread, ptr null)
  %following = add i64 %i, 1
  %more = icmp slt i64 %following, %started
  br i1 %more, label %next, label %forget
forget:
  store i64 0, ptr @started
  br label %done
done:
  ret void
}

; Forget all workers: after a fork the child has none, whatever they were at.
define void @reset() nounwind {
  store i64 0, ptr @generation
  store i64 0, ptr @active
  store i64 0, ptr @sleepers
  store i64 0, ptr @rest_until
  store i64 0, ptr @is_ready
  store i64 0, ptr @started
  store atomic i64 0, ptr @busy seq_cst, align 8
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
    return _TEXT.substitute(
        watch=_WATCH,
        patience=_PATIENCE,
        rest=_REST,
        aside=_ASIDE,
        most=MOST_THREADS,
        set_mask=int(signal.SIG_SETMASK),
        system=system_text(target),
    )
