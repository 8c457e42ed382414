"""From LLVM's text to running machine code: the target, the JIT, the code cache, memory plans, workers."""
