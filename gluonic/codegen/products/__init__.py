"""Products of matrices, recurrent layers made of them, and connectionist temporal classification."""
