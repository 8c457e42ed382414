"""The code that starts workers, stops them and, after a fork, resets their state, in LLVM's textual form."""

from string import Template

LIFETIME = Template("""
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
  %address = getelementptr i64, ptr @threads, i64 %started
  %argument = inttoptr i64 %index to ptr
  %error = call i32 @pthread_create(ptr %address, ptr null, ptr @worker, ptr %argument)
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
  %address = getelementptr i64, ptr @threads, i64 %i
  %thread = load i64, ptr %address
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
""")
