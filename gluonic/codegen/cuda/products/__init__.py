"""Matrix products on GPUs, of matrices and of the windows of images."""
