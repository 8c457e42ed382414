"""Functions that a written file defines where it needs them: PyTorch has no counterpart of one call."""

HELPERS = {
    "depth_to_space": '''
def depth_to_space(x, size):
    """Channels as blocks of pixels."""
    batch, channels, height, width = x.shape
    x = x.reshape(batch, size, size, channels // size**2, height, width)
    x = x.permute(0, 3, 4, 1, 5, 2)
    return x.reshape(batch, channels // size**2, height * size, width * size)
''',
    "space_to_depth": '''
def space_to_depth(x, size):
    """Blocks of pixels as channels."""
    batch, channels, height, width = x.shape
    x = x.reshape(batch, channels, height // size, size, width // size, size)
    x = x.permute(0, 3, 5, 1, 2, 4)
    return x.reshape(batch, channels * size**2, height // size, width // size)
''',
    "reverse_sequence": '''
def reverse_sequence(x, lengths, time_axis):
    """The first elements of each sequence, in reverse order, and the others as they are."""
    x = x.transpose(0, time_axis)
    steps = torch.arange(x.shape[0], device=x.device)[:, None]
    index = torch.where(steps < lengths, lengths - 1 - steps, steps)
    x = x[index, torch.arange(x.shape[1], device=x.device)]
    return x.transpose(0, time_axis)
''',
    "quantize": '''
def quantize(x, scale, zero, dtype):
    """Numbers divided by a scale, rounded and clipped to a small integer."""
    limits = torch.iinfo(dtype)
    return (torch.round(x / scale) + zero).clamp(limits.min, limits.max).to(dtype)
''',
}
