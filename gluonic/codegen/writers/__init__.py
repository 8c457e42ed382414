"""Writing loops by hand, where no operator says them element by element: what all such steps share."""
