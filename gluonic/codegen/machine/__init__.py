"""From LLVM's text to running machine code: target, JIT, code cache, memory plans, worker threads."""
