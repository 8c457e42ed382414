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
    "gather_in_each": '''
def gather_in_each(x, index):
    """The elements at some places of each of the first axis; the last axis of the index has the places."""
    first = torch.arange(len(x), device=x.device).reshape(-1, *[1] * (index.ndim - 2))
    return x[(first, *index.unbind(-1))]
''',
    "non_max_suppression": '''
def non_max_suppression(boxes, scores, most, overlap, least):
    """The boxes that are kept, as rows (image, class, box): each overlaps no better one much."""
    kept = []
    for image, kind in torch.cartesian_prod(*map(torch.arange, scores.shape[:2])).tolist():
        score, corners = scores[image, kind], boxes[image]
        area = (corners[:, 2:] - corners[:, :2]).prod(1)
        order = score.argsort(descending=True, stable=True)
        order = order[score[order] > least]
        for _ in range(most):
            if not len(order):
                break
            best, order = order[0], order[1:]
            kept.append((image, kind, int(best)))
            low = torch.maximum(corners[best, :2], corners[order, :2])
            high = torch.minimum(corners[best, 2:], corners[order, 2:])
            shared = (high - low).clamp(min=0).prod(1)
            order = order[shared / (area[best] + area[order] - shared) <= overlap]
    return torch.tensor(kept, dtype=torch.int64, device=boxes.device).reshape(-1, 3)
''',
    "top_k": '''
def top_k(x, count, dim, largest):
    """The largest or smallest elements and their places; of equal ones the first."""
    values, places = torch.sort(x, dim=dim, descending=largest, stable=True)
    return values.narrow(dim, 0, count), places.narrow(dim, 0, count)
''',
    "quantize": '''
def quantize(x, scale, zero, dtype):
    """Numbers divided by a scale, rounded and clipped to a small integer."""
    limits = torch.iinfo(dtype)
    return (torch.round(x / scale) + zero).clamp(limits.min, limits.max).to(dtype)
''',
}
