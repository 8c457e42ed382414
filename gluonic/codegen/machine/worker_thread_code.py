"""The code of a worker, in LLVM's textual form: it spins, sleeps, claims chunks and runs them."""

from string import Template

THREAD = Template("""
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
  %address = getelementptr ptr, ptr %copy, i64 %last
  %first = load ptr, ptr %address
  %offset = mul i64 %index, %stride
  %workspace = getelementptr i8, ptr %first, i64 %offset
  store ptr %workspace, ptr %address
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
""")
