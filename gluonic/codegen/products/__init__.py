"""Products of matrices, and recurrent layers made of them."""
