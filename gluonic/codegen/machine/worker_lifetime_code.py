"""The code that starts workers, stops them and, after a fork, resets their state, in LLVM's textual form."""

from string import Template

LIFETIME = Template("""
; Make what sleeping needs, once, and start workers until there are so many threads with the caller, or as many
; as there may be.
define internal void @start(i64 %asked) noinline cold nounwind {
entry:
  %most = load i64, ptr @most
  %is_less = icmp slt i64 %asked, %most
  %wanted = select i1 %is_less, i64 %asked, i64 %most
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
  %number = phi i64 [ 0, %prepare ], [ %number_after, %make ]
  %mutex = getelementptr [128 x i8], ptr @mutexes, i64 %number
  %condition = getelementptr [128 x i8], ptr @conditions, i64 %number
  call i32 @pthread_mutex_init(ptr %mutex, ptr null)
  call i32 @pthread_cond_init(ptr %condition, ptr null)
  %number_after = add i64 %number, 1
  %is_last = icmp eq i64 %number_after, $most
  br i1 %is_last, label %made, label %make
made:
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
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %index, %end ]
  %more = icmp slt i64 %i, %started
  br i1 %more, label %end, label %done
end:
  %index = add i64 %i, 1
  %mutex = getelementptr [128 x i8], ptr @mutexes, i64 %index
  %condition = getelementptr [128 x i8], ptr @conditions, i64 %index
  call i32 @pthread_mutex_lock(ptr %mutex)
  call i32 @pthread_mutex_unlock(ptr %mutex)
  call i32 @pthread_cond_signal(ptr %condition)
  %address = getelementptr i64, ptr @threads, i64 %i
  %thread = load i64, ptr %address
  call i32 @pthread_join(i64 %thread, ptr null)
  br label %next
done:
  store i64 0, ptr @started
  ret void
}

; Forget all workers: after a fork the child has none, whatever they were at.
define void @reset() nounwind {
  store i64 0, ptr @generation
  store i64 0, ptr @sleepers
  store i64 0, ptr @callers
  store i64 0, ptr @raise_at
  store i64 0, ptr @is_ready
  store i64 0, ptr @started
  %behind = getelementptr %slot, ptr null, i64 $most
  %bytes = ptrtoint ptr %behind to i64
  call void @llvm.memset.p0.i64(ptr @slots, i8 0, i64 %bytes, i1 false)
  %most = load i64, ptr @most
  store atomic i64 %most, ptr @limit monotonic, align 8
  store atomic i64 0, ptr @busy seq_cst, align 8
  ret void
}

; So many threads, at most, may share a step from now on, including the caller.
define void @allow(i64 %count) nounwind {
  store i64 %count, ptr @most
  store atomic i64 %count, ptr @limit monotonic, align 8
  ret void
}
""")
