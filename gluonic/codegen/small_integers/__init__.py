"""Products and convolutions of integers of eight bits, whose sums are exact in int32."""
