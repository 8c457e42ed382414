"""Writers of hand-written loops, for steps that no elementwise expression describes: their shared parts."""
