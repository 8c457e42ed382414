"""Libraries as WebAssembly: linking an object file, memory for it, and a module of JavaScript that calls it."""
