"""Boxes around objects in images: overlaps, suppression, matching, encoding."""

from collections.abc import Sequence
from math import prod
from typing import Any, Literal

import numpy as np

from gluonic.graph.axes import require_rank
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import floating
from gluonic.graph.rectangles import as_centers, as_corners, overlaps, survivors
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, peek, title_of, written

Format = Literal["corner", "center"]


def _require_boxes(n: NodeView, *names: str) -> None:
    """Refuse inputs whose last axis does not hold four coordinates."""
    for name in names:
        shape = getattr(n, name)
        if len(shape) < 2 or shape[-1] not in (4, None):
            raise InferenceError(
                f"{title_of(n)}: {name} is {written(shape)} but must hold boxes, (..., 4)"
            )


@operator("_contrib_box_iou", dtype=floating())
def box_iou(lhs: Array, rhs: Array, *, format: Format = "corner") -> Any:
    """Compute the overlap of every box with every other: intersection over union.

    Parameters
    ----------
    lhs, rhs : boxes, (..., 4)
    format : ``corner``: left, top, right, bottom; ``center``: x, y, width, height

    Returns
    -------
    array
        of the shape ``lhs.shape[:-1] + rhs.shape[:-1]``
    """
    if format == "center":
        lhs, rhs = as_corners(lhs), as_corners(rhs)
    return overlaps(lhs.reshape(*lhs.shape[:-1], *[1] * (rhs.ndim - 1), 4), rhs)


@box_iou.infer_shape
def _(n: NodeView) -> None:
    _require_boxes(n, "lhs", "rhs")
    n.output = (*n.lhs[:-1], *n.rhs[:-1])


box_iou.gradient()


@operator(
    "_contrib_box_nms",
    "_contrib_box_non_maximum_suppression",
    outputs=("output0", "output1"),
    visible=1,
)
def box_nms(
    data: Array,
    *,
    overlap_thresh: float = 0.5,
    valid_thresh: float = 0.0,
    topk: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = -1,
    background_id: int = -1,
    force_suppress: bool = False,
    in_format: Format = "corner",
    out_format: Format = "corner",
) -> tuple[Array, Array]:
    """Drop boxes that overlap with better ones: non-maximum suppression.

    Parameters
    ----------
    data : (..., boxes, width): each box a row with a score, four coordinates, perhaps a class
    overlap_thresh : the overlap (intersection over union) from which the worse box is dropped
    valid_thresh : boxes of no better score are dropped at once
    topk : the number of best boxes that take part, if positive
    coord_start, score_index, id_index : the positions in a row of the coordinates, the score and, if not
        negative, the class
    background_id : boxes of this class are dropped
    force_suppress : boxes drop others of other classes too
    in_format, out_format : ``corner``: left, top, right, bottom; ``center``: x, y, width, height

    Returns
    -------
    array, array
        the boxes that are left, the best first, then rows of -1; and (hidden) the position of each number
        in the flattened input
    """
    if topk == 0 or not data.size:
        return data.view(), np.arange(data.size).reshape(data.shape)
    count, width = data.shape[-2:]
    rows = data.reshape(-1, count, width)
    output, record = np.full_like(rows, -1), np.full(rows.shape, -1, np.int64)
    span = slice(coord_start, coord_start + 4)
    for batch, boxes in enumerate(rows):
        valid = boxes[:, score_index] > valid_thresh
        if id_index >= 0:
            valid &= boxes[:, id_index] != background_id
        index = np.flatnonzero(valid)
        index = index[np.argsort(-boxes[index, score_index], kind="stable")]
        index = index[: topk if topk > 0 else count]
        corners = boxes[index, span]
        if in_format == "center":
            corners = as_corners(corners)
        by_class = id_index >= 0 and not force_suppress
        classes = boxes[index, id_index].astype(np.int64) if by_class else None
        index = index[survivors(corners, classes, overlap_thresh, strict=True)]
        output[batch, : len(index)] = boxes[index]
        record[batch, : len(index)] = ((batch * count + index) * width)[:, None] + np.arange(width)
    if in_format != out_format:
        change = as_centers if out_format == "center" else as_corners
        found = output[..., span]
        output[..., span] = np.where(found[..., :1] < 0, found, change(found))
    return output.reshape(data.shape), record.reshape(data.shape)


@box_nms.infer_shape
def _(n: NodeView) -> None:
    if (known := peek(n, "output0")) is not None:
        n.data = known
    n.output0 = n.output1 = n.data
    if len(n.data) < 2:
        raise InferenceError(
            f"{title_of(n)}: data is {written(n.data)} but must hold rows of boxes"
        )
    columns = [n.score_index, *range(n.coord_start, n.coord_start + 4)]
    columns += [n.id_index] * (n.id_index >= 0)
    width = n.data[-1]
    if len(set(columns)) < len(columns) or min(columns) < 0:
        raise InferenceError(
            f"{title_of(n)}: coord_start {n.coord_start}, score_index {n.score_index} and id_index"
            f" {n.id_index} must be different columns"
        )
    if width is not None and max(columns) >= width:
        raise InferenceError(
            f"{title_of(n)}: rows of {width} numbers have no column {max(columns)}"
        )


@box_nms.infer_dtype
def _(n: NodeView) -> None:
    n.output1 = np.dtype(np.int64)
    floating(like("data", "output0"))(n)


@box_nms.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    return {"data": F._backward_take_flat(heads[0], n.data, n.output1)}


@operator("_contrib_bipartite_matching", outputs=("output0", "output1"), dtype=floating())
def bipartite_matching(
    data: Array, *, is_ascend: bool = False, threshold: float, topk: int = -1
) -> tuple[Array, Array]:
    """Match rows and columns greedily: the best pair first, then the best of the rest.

    Parameters
    ----------
    data : scores, (..., rows, columns)
    is_ascend : whether smaller scores are better
    threshold : pairs that are not better stay unmatched
    topk : the number of pairs after the first one, if positive

    Returns
    -------
    array, array
        for each row its column, (..., rows), and for each column its row; -1 where there is none
    """
    *batch, rows, columns = data.shape
    scores = data.reshape(prod(batch), rows, columns)
    of_rows = np.full((len(scores), rows), -1, data.dtype)
    of_columns = np.full((len(scores), columns), -1, data.dtype)
    for matrix, row_of, column_of in zip(scores, of_columns, of_rows, strict=True):
        flat = matrix.ravel()
        good = flat < threshold if is_ascend else flat > threshold
        order = np.argsort(flat if is_ascend else -flat, kind="stable")
        left = min(rows, columns) if topk <= 0 else topk + 1
        for index in order[good[order]]:
            i, j = divmod(int(index), columns)
            if left and column_of[i] < 0 and row_of[j] < 0:
                column_of[i], row_of[j] = j, i
                left -= 1
            if not left:
                break
    return of_rows.reshape(*batch, rows), of_columns.reshape(*batch, columns)


@bipartite_matching.infer_shape
def _(n: NodeView) -> None:
    if len(n.data) < 2:
        raise InferenceError(
            f"{title_of(n)}: data is {written(n.data)} but must be matrices of scores"
        )
    *batch, rows, columns = n.data
    n.output0, n.output1 = (*batch, rows), (*batch, columns)


bipartite_matching.gradient()


@operator("_contrib_box_encode", outputs=("output0", "output1"), dtype=floating())
def box_encode(
    samples: Array, matches: Array, anchors: Array, refs: Array, means: Array, stds: Array
) -> tuple[Array, Array]:
    """Encode boxes by their offsets from anchors, as targets for training.

    Parameters
    ----------
    samples : (batch, anchors): 1 for anchors that are to be trained, else 0 or -1
    matches : (batch, anchors): the number of the box that belongs to each anchor
    anchors : corners, (batch, anchors, 4)
    refs : corners of the boxes, (batch, boxes, 4)
    means, stds : the mean and the standard deviation of the four targets, (4,)

    Returns
    -------
    array, array
        targets: the shift by the anchor's size, and the logarithm of the ratio of the sizes; and 1
        where an anchor is to be trained, else 0; both (batch, anchors, 4)
    """
    index = matches.astype(np.intp)[..., None]
    boxes = np.take_along_axis(refs, np.maximum(index, 0), 1) if refs.shape[1] else anchors * 0
    box, anchor = as_centers(boxes), as_centers(anchors)
    shift = (box[..., :2] - anchor[..., :2]) / anchor[..., 2:]
    ratio = np.log(box[..., 2:] / anchor[..., 2:])
    trained = np.broadcast_to((samples > 0.5)[..., None], anchors.shape)
    targets = (np.concatenate([shift, ratio], -1) - means) / stds
    return np.where(trained, targets, 0), trained.astype(anchors.dtype)


@box_encode.infer_shape
def _(n: NodeView) -> None:
    n.means = n.stds = (4,)
    _require_boxes(n, "anchors", "refs")
    require_rank(n.anchors, (3,), f"{title_of(n)}: anchors")
    require_rank(n.refs, (3,), f"{title_of(n)}: refs")
    n.output0 = n.output1 = n.anchors
    n.samples = n.matches = n.anchors[:2]
    n.refs = (n.anchors[0], None, 4)


box_encode.gradient()


@operator("_contrib_box_decode", dtype=floating())
def box_decode(
    data: Array,
    anchors: Array,
    *,
    std0: float = 1.0,
    std1: float = 1.0,
    std2: float = 1.0,
    std3: float = 1.0,
    clip: float = -1.0,
    format: Format = "center",
) -> Any:
    """Decode boxes from their offsets from anchors.

    Parameters
    ----------
    data : shifts by the anchors' sizes, and logarithms of the ratios of the sizes,
        (batch, anchors, 4)
    anchors : (1, anchors, 4)
    std0, std1, std2, std3 : factors on `data`
    clip : an upper bound of the logarithms, if positive
    format : ``corner`` or ``center`` anchors

    Returns
    -------
    array
        corners, (batch, anchors, 4)
    """
    exact = data.dtype.type
    anchor = as_centers(anchors) if format == "corner" else anchors
    change = data * np.array([std0, std1, std2, std3], data.dtype)
    middle = change[..., :2] * anchor[..., 2:] + anchor[..., :2]
    growth = np.minimum(change[..., 2:], exact(clip)) if clip > 0 else change[..., 2:]
    half = np.exp(growth) * anchor[..., 2:] * exact(0.5)
    return np.concatenate([middle - half, middle + half], -1)


@box_decode.infer_shape
def _(n: NodeView) -> None:
    _require_boxes(n, "data", "anchors")
    require_rank(n.data, (3,), f"{title_of(n)}: data")
    require_rank(n.anchors, (3,), f"{title_of(n)}: anchors")
    n.anchors = (1, n.data[1], 4)
    n.data = (None, n.anchors[1], 4)
    n.output = n.data
    n.data = n.output


box_decode.gradient()
