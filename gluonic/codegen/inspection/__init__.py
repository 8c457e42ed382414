"""What the compiler made of a graph, to look at."""
