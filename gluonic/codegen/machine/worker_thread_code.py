"""The code of a worker, in LLVM's textual form: it spins, sleeps, wakes others, claims chunks and runs them."""

from string import Template

THREAD = Template("""
; Claim chunks of the open job until none is left; return how many.
; Each thread has a range of its own. Behind it, it takes what is left of the others' ranges.
define internal i64 @work(i64 %index, ptr %operands, i64 %word) nounwind {
entry:
  %function = load ptr, ptr @job
  %numbers = load ptr, ptr getelementptr (%job, ptr @job, i32 0, i32 2)
  %units = load i64, ptr getelementptr (%job, ptr @job, i32 0, i32 3)
  %chunk = load i64, ptr getelementptr (%job, ptr @job, i32 0, i32 4)
  %each = load i64, ptr getelementptr (%job, ptr @job, i32 0, i32 5)
  %rest = load i64, ptr getelementptr (%job, ptr @job, i32 0, i32 6)
  %threads = and i64 %word, $threads_mask
  %number = lshr i64 %word, $threads_bits
  %tag = shl i64 %number, $claim_bits
  br label %range
range:
  %total = phi i64 [ 0, %entry ], [ %sum, %other ]
  %owner = phi i64 [ %index, %entry ], [ %following, %other ]
  %left = phi i64 [ %threads, %entry ], [ %fewer, %other ]
  %is_low = icmp slt i64 %owner, %rest
  %longer = select i1 %is_low, i64 %owner, i64 %rest
  %even = mul i64 %owner, %each
  %first = add i64 %even, %longer
  %one = zext i1 %is_low to i64
  %size = add i64 %each, %one
  %last = add i64 %first, %size
  %claims = getelementptr %slot, ptr @slots, i64 %owner, i32 6
  br label %look
look:
  %sum = phi i64 [ %total, %range ], [ %sum, %claim ], [ %more, %do ]
  %old = load atomic i64, ptr %claims monotonic, align 8
  %old_tag = and i64 %old, $tag_mask
  %is_of_job = icmp eq i64 %old_tag, %tag
  %claimed = and i64 %old, $claim_mask
  %position = select i1 %is_of_job, i64 %claimed, i64 %first
  %is_some = icmp slt i64 %position, %last
  br i1 %is_some, label %claim, label %other
claim:
  %beyond_it = add i64 %position, 1
  %new = or i64 %tag, %beyond_it
  %pair = cmpxchg ptr %claims, i64 %old, i64 %new monotonic monotonic
  %is_mine = extractvalue { i64, i1 } %pair, 1
  br i1 %is_mine, label %do, label %look
do:
  %begin = mul i64 %position, %chunk
  %behind = add i64 %begin, %chunk
  %beyond = icmp sgt i64 %behind, %units
  %end = select i1 %beyond, i64 %units, i64 %behind
  call void %function(ptr %operands, ptr %numbers, i64 %begin, i64 %end)
  %more = add i64 %sum, 1
  br label %look
other:
  %next = add i64 %owner, 1
  %wraps = icmp eq i64 %next, %threads
  %following = select i1 %wraps, i64 0, i64 %next
  %fewer = add i64 %left, -1
  %is_over = icmp eq i64 %fewer, 0
  br i1 %is_over, label %done, label %range
done:
  ret i64 %sum
}

; Work with a workspace of one's own, whose address is the last operand.
define internal void @work_as(i64 %index, i64 %word) nounwind {
entry:
  %operands = load ptr, ptr getelementptr (%job, ptr @job, i32 0, i32 1)
  %count = load i64, ptr getelementptr (%job, ptr @job, i32 0, i32 7)
  %stride = load i64, ptr getelementptr (%job, ptr @job, i32 0, i32 8)
  %common = icmp eq i64 %stride, 0
  br i1 %common, label %same, label %own
same:
  call i64 @work(i64 %index, ptr %operands, i64 %word)
  ret void
own:
  %copy = alloca ptr, i64 %count, align 64
  %bytes = shl i64 %count, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %operands, i64 %bytes, i1 false)
  %last = add i64 %count, -1
  %address = getelementptr ptr, ptr %copy, i64 %last
  %first = load ptr, ptr %address
  %offset = mul i64 %index, %stride
  %workspace = getelementptr i8, ptr %first, i64 %offset
  store ptr %workspace, ptr %address
  call i64 @work(i64 %index, ptr %copy, i64 %word)
  ret void
}

define internal ptr @worker(ptr %argument) nounwind {
entry:
  %index = ptrtoint ptr %argument to i64
  %at = getelementptr %slot, ptr @slots, i64 %index
  br label %idle
idle:
  %left = phi i64 [ 0, %entry ], [ %left, %awake ], [ %word, %help ]
  %now = call i64 @now()
  %until = add i64 %now, $watch
  br label %watch
watch:
  %rest = phi i64 [ $shortest, %idle ], [ %rest, %look ], [ %rest, %leave ], [ %longer, %aside ]
  %word = load atomic i64, ptr @generation seq_cst, align 8
  %is_new = call i1 @is_for(i64 %index, i64 %word, i64 %left)
  br i1 %is_new, label %join, label %pause
pause:
  call void @pause()
  %stopping = load atomic i64, ptr @stopping seq_cst, align 8
  %goes_on = icmp eq i64 %stopping, 0
  %later = call i64 @now()
  %is_early = icmp slt i64 %later, %until
  %limit = load atomic i64, ptr @limit monotonic, align 8
  %is_useful = icmp slt i64 %index, %limit
  %is_wanted = and i1 %is_early, %is_useful
  %watches = and i1 %is_wanted, %goes_on
  br i1 %watches, label %look, label %sleep
look:
  %is_here = call i1 @is_callers_core()
  br i1 %is_here, label %aside, label %watch
aside:
  ; Whatever runs here, the caller does not: leave it the core. Whoever wakes gets an idle one, if there is one.
  call void @nap(i64 %rest)
  %twice = shl i64 %rest, 1
  %is_short = icmp slt i64 %twice, $longest
  %longer = select i1 %is_short, i64 %twice, i64 $longest
  br label %watch
sleep:
  %stops = call i1 @sleep(i64 %index, i64 %left)
  br i1 %stops, label %exit, label %awake
awake:
  br label %idle
join:
  atomicrmw xchg ptr %at, i64 1 seq_cst
  %seen = load atomic i64, ptr @generation seq_cst, align 8
  %is_open = icmp eq i64 %seen, %word
  br i1 %is_open, label %locate, label %leave
locate:
  %is_there = call i1 @is_callers_core()
  br i1 %is_there, label %retreat, label %help
retreat:
  store atomic i64 0, ptr %at release, align 8
  br label %aside
leave:
  store atomic i64 0, ptr %at release, align 8
  br label %watch
help:
  call void @work_as(i64 %index, i64 %word)
  store atomic i64 0, ptr %at release, align 8
  br label %idle
exit:
  ret ptr null
}

; Whether a job is open that is new to a worker, and means it.
define internal i1 @is_for(i64 %index, i64 %word, i64 %last) alwaysinline nounwind {
  %threads = and i64 %word, $threads_mask
  %means = icmp slt i64 %index, %threads
  %is_new = icmp ne i64 %word, %last
  %is_for = and i1 %means, %is_new
  ret i1 %is_for
}

define internal i1 @is_callers_core() alwaysinline nounwind {
  %callers = load atomic i32, ptr @callers_core monotonic, align 4
  %core = call i32 @core(i32 -2)
  %is_same = icmp eq i32 %core, %callers
  ret i1 %is_same
}

; Sleep until a job is open that is new to this worker, or another thread calls; return whether workers stop.
define internal i1 @sleep(i64 %index, i64 %last) noinline nounwind {
entry:
  %asleep = getelementptr %slot, ptr @slots, i64 %index, i32 1
  %called = getelementptr %slot, ptr @slots, i64 %index, i32 2
  %from = getelementptr %slot, ptr @slots, i64 %index, i32 3
  %to = getelementptr %slot, ptr @slots, i64 %index, i32 4
  %mutex = getelementptr [128 x i8], ptr @mutexes, i64 %index
  %condition = getelementptr [128 x i8], ptr @conditions, i64 %index
  call i32 @pthread_mutex_lock(ptr %mutex)
  store atomic i64 1, ptr %asleep seq_cst, align 8
  atomicrmw add ptr @sleepers, i64 1 seq_cst
  br label %check
check:
  %word = load atomic i64, ptr @generation seq_cst, align 8
  %is_new = call i1 @is_for(i64 %index, i64 %word, i64 %last)
  %stopping = load atomic i64, ptr @stopping seq_cst, align 8
  %stops = icmp ne i64 %stopping, 0
  %calls = load i64, ptr %called
  %is_called = icmp ne i64 %calls, 0
  %wakes = or i1 %is_new, %stops
  %rises = or i1 %wakes, %is_called
  br i1 %rises, label %awake, label %wait
wait:
  call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  br label %check
awake:
  store atomic i64 0, ptr %asleep seq_cst, align 8
  atomicrmw sub ptr @sleepers, i64 1 seq_cst
  %low = load i64, ptr %from
  %high = load i64, ptr %to
  store i64 0, ptr %called
  store i64 0, ptr %from
  store i64 0, ptr %to
  call i32 @pthread_mutex_unlock(ptr %mutex)
  call void @wake(i64 %low, i64 %high)
  ret i1 %stops
}

; Wake those of some workers that sleep. Each that wakes gets half of the remaining ones to wake.
define internal void @wake(i64 %low, i64 %high) noinline nounwind {
entry:
  br label %next
next:
  %index = phi i64 [ %low, %entry ], [ %after, %pass ], [ %after, %call ]
  %end = phi i64 [ %high, %entry ], [ %end, %pass ], [ %middle, %call ]
  %some = icmp slt i64 %index, %end
  br i1 %some, label %ask, label %done
ask:
  %after = add i64 %index, 1
  %asleep = getelementptr %slot, ptr @slots, i64 %index, i32 1
  %sleeps = load atomic i64, ptr %asleep seq_cst, align 8
  %is_asleep = icmp ne i64 %sleeps, 0
  br i1 %is_asleep, label %tell, label %pass
tell:
  %mutex = getelementptr [128 x i8], ptr @mutexes, i64 %index
  call i32 @pthread_mutex_lock(ptr %mutex)
  %still = load atomic i64, ptr %asleep seq_cst, align 8
  %calls = getelementptr %slot, ptr @slots, i64 %index, i32 2
  %called = load i64, ptr %calls
  %is_still = icmp ne i64 %still, 0
  %is_uncalled = icmp eq i64 %called, 0
  %is_free = and i1 %is_still, %is_uncalled
  br i1 %is_free, label %call, label %skip
skip:
  call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %pass
pass:
  br label %next
call:
  %remaining = sub i64 %end, %after
  %half = lshr i64 %remaining, 1
  %middle = sub i64 %end, %half
  %from = getelementptr %slot, ptr @slots, i64 %index, i32 3
  %to = getelementptr %slot, ptr @slots, i64 %index, i32 4
  store i64 1, ptr %calls
  store i64 %middle, ptr %from
  store i64 %end, ptr %to
  call i32 @pthread_mutex_unlock(ptr %mutex)
  %condition = getelementptr [128 x i8], ptr @conditions, i64 %index
  call i32 @pthread_cond_signal(ptr %condition)
  br label %next
done:
  ret void
}
""")
