"""Boxes of detectors: overlaps, decoding, non-maximum suppression."""

from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable
from gluonic.onnx.sizes import all_fixed, is_open
from gluonic.onnx.table import family
from gluonic.onnx.use import (
    operator_of,
    output_dtype,
    output_shape,
    reshaped,
    settings_of,
    shape_of,
    size_vector,
)
from gluonic.onnx.writer import INT64, OnnxValue

boxes = family("boxes")
boxes.leave_out("it chooses targets for training", "_contrib_MultiBoxTarget")
boxes.leave_out("it is not yet written", "_contrib_MultiProposal", "_contrib_Proposal")


def _columns(o: Any, value: Any, begin: int, end: int) -> Any:
    return o.slice(value, [-1], [begin], [end])


def _corners(o: Any, centers: Any) -> Any:
    """Corners of boxes given by centre, width and height."""
    middle, half = _columns(o, centers, 0, 2), o.Mul(_columns(o, centers, 2, 4), 0.5)
    return o.Concat(o.Sub(middle, half), o.Add(middle, half), axis=-1)


def _centers(o: Any, corners: Any) -> Any:
    low, high = _columns(o, corners, 0, 2), _columns(o, corners, 2, 4)
    return o.Concat(o.Mul(o.Add(low, high), 0.5), o.Sub(high, low), axis=-1)


@boxes.write("_contrib_box_decode")
def _(o: Any, n: Any) -> Any:
    stds = np.array([n.std0, n.std1, n.std2, n.std3], n.data.dtype)
    return _decoded(o, n.data, n.anchors, stds, n.clip, n.format)


def _decoded(o: Any, data: Any, anchors: Any, stds: Any, clip: float, kind: str) -> Any:
    anchor = _centers(o, anchors) if kind == "corner" else anchors
    change = o.Mul(data, stds)
    size = _columns(o, anchor, 2, 4)
    middle = o.Add(o.Mul(_columns(o, change, 0, 2), size), _columns(o, anchor, 0, 2))
    growth = _columns(o, change, 2, 4)
    if clip > 0:
        growth = o.Min(growth, float(clip))
    half = o.Mul(o.Mul(o.Exp(growth), size), 0.5)
    return o.Concat(o.Sub(middle, half), o.Add(middle, half), axis=-1)


def _areas(o: Any, corners: Any) -> Any:
    sides = o.Relu(o.Sub(_columns(o, corners, 2, 4), _columns(o, corners, 0, 2)))
    return o.Mul(_columns(o, sides, 0, 1), _columns(o, sides, 1, 2))


@boxes.write("_contrib_box_iou")
def _(o: Any, n: Any) -> Any:
    one, other = n.lhs, n.rhs
    if n.format == "center":
        one, other = _corners(o, one), _corners(o, other)
    left, right = len(shape_of(n, 0)), len(shape_of(n, 1))
    spread = o.unsqueeze(one, *range(left - 1, left + right - 2))
    low = o.Max(_columns(o, spread, 0, 2), _columns(o, other, 0, 2))
    high = o.Min(_columns(o, spread, 2, 4), _columns(o, other, 2, 4))
    sides = o.Relu(o.Sub(high, low))
    shared = o.Mul(_columns(o, sides, 0, 1), _columns(o, sides, 1, 2))
    together = o.Sub(o.Add(_areas(o, spread), _areas(o, other)), shared)
    is_apart = o.LessOrEqual(shared, 0.0)
    one_value = o.constant(np.array(1, n.lhs.dtype))
    quotient = o.Div(shared, o.Where(is_apart, one_value, together, result=n.lhs.dtype))
    return o.squeeze(quotient, left + right - 2)


def _sorted_rows(o: Any, rows: Any, score: Any, count: Any) -> Any:
    """Rows of each image, the best first: (batch, boxes, width)."""
    _, order = o.TopK(score, count, outputs=2, result=[score.dtype, INT64], axis=1, sorted=1)
    return o.GatherND(rows, o.unsqueeze(order, 2), batch_dims=1)


def _kept(
    o: Any, rows: Any, scores: Any, corners: Any, classes: Any, threshold: float, count: OnnxValue
) -> Any:
    """Whether suppression keeps each box, (batch, boxes), for boxes whose best comes first.

    Boxes of different classes are moved apart, so that they do not overlap.
    """
    if classes is not None:
        reach = o.reduce("ReduceMax", o.Abs(corners), [1, 2], keepdims=True)
        shift = o.Mul(classes, o.Add(o.Mul(reach, 2.0), 1.0))
        corners = o.Add(corners, shift)
    limit = o.squeeze(count, 0)
    chosen = o.NonMaxSuppression(
        corners,
        o.unsqueeze(scores, 1),
        limit,
        np.array([threshold], np.float32),
        np.zeros(1, np.float32),
    )
    place = o.Concat(o.slice(chosen, [1], [0], [1]), o.slice(chosen, [1], [2], [3]), axis=1)
    zeros = o.Expand(np.zeros((1, 1), np.float32), o.Shape(scores))
    ones = o.Expand(np.ones(1, np.float32), o.slice(o.Shape(chosen), [0], [0], [1]))
    return o.cast(o.ScatterND(zeros, place, ones), np.bool_)


def _packed(o: Any, rows: Any, keep: Any, count: OnnxValue) -> Any:
    """The kept rows first, in order, then rows of -1."""
    dropped = o.Where(o.unsqueeze(keep, 2), rows, o.constant(np.float32(-1)), result=np.float32)
    return _sorted_rows(o, dropped, o.cast(keep, np.float32), count)


@boxes.write("_contrib_box_nms", whole=True)
def _(o: Any, n: Any) -> Any:
    if n.data.dtype != np.float32:
        raise NotExportable("only float32 boxes")
    if n.topk == 0:
        return [o.Identity(n.data)]
    shape = shape_of(n, 0)
    count, width = shape[-2:]
    batch: Any = 1
    for extent in shape[:-2]:
        batch = batch * extent
    rows = reshaped(o, n, n.data, shape, (batch, count, width))
    length = size_vector(n, (count,))
    scores = o.squeeze(_columns(o, rows, n.score_index, n.score_index + 1), 2)
    valid = o.Greater(scores, float(n.valid_thresh))
    if n.id_index >= 0:
        kinds = o.squeeze(_columns(o, rows, n.id_index, n.id_index + 1), 2)
        valid = o.And(valid, o.Not(o.Equal(kinds, float(n.background_id))))
    low = o.constant(np.float32(np.finfo(np.float32).min))
    ranked = o.Where(valid, scores, low, result=np.float32)
    rows = _sorted_rows(o, rows, ranked, length)
    ranked = o.TopK(ranked, length, outputs=2, result=[np.float32, INT64], axis=1)[0]
    valid = o.Greater(ranked, float(np.finfo(np.float32).min))
    if n.topk > 0 and (is_open(count) or n.topk < count):
        best = o.Range(np.array(0, np.int64), o.squeeze(length, 0), np.array(1, np.int64))
        valid = o.And(valid, o.unsqueeze(o.Less(best, np.array(n.topk, np.int64)), 0))
    corners = _columns(o, rows, n.coord_start, n.coord_start + 4)
    if n.in_format == "center":
        corners = _corners(o, corners)
    by_class = n.id_index >= 0 and not n.force_suppress
    classes = _columns(o, rows, n.id_index, n.id_index + 1) if by_class else None
    places = o.Range(np.array(0, np.int64), o.squeeze(length, 0), np.array(1, np.int64))
    order = o.Sub(o.cast(o.squeeze(length, 0), np.float32), o.cast(places, np.float32))
    scores = o.Where(valid, o.unsqueeze(order, 0), o.constant(np.float32(-1)), result=np.float32)
    keep = _kept(o, rows, scores, corners, classes, n.overlap_thresh, length)
    if n.in_format != n.out_format:
        change = _centers if n.out_format == "center" else _corners
        changed = change(o, _columns(o, rows, n.coord_start, n.coord_start + 4))
        parts = [_columns(o, rows, 0, n.coord_start)] if n.coord_start else []
        parts.append(changed)
        if n.coord_start + 4 < width:
            parts.append(_columns(o, rows, n.coord_start + 4, width))
        rows = o.Concat(*parts, axis=-1)
    return [
        reshaped(
            o,
            n,
            _packed(o, rows, o.And(keep, valid), length),
            (batch, count, width),
            output_shape(n),
        )
    ]


@boxes.write("_contrib_MultiBoxDetection", whole=True)
def _(o: Any, n: Any) -> Any:
    _, _, count = shape_of(n, "cls_prob")
    if n.cls_prob.dtype != np.float32:
        raise NotExportable("only float32 boxes")
    length = size_vector(n, (count,))
    data = reshaped(o, n, n.loc_pred, (), (shape_of(n, 0)[0], count, 4))
    corners = _decoded(o, data, n.anchor, np.array(n.variances, np.float32), -1, "corner")
    if n.clip:
        corners = o.Clip(corners, np.float32(0), np.float32(1))
    objects = o.slice(n.cls_prob, [1], [1], [2**31 - 1])
    best = o.reduce("ReduceMax", objects, [1])
    kinds = o.cast(o.ArgMax(objects, axis=1, keepdims=0), np.float32)
    good = o.GreaterOrEqual(best, float(n.threshold))
    none = o.constant(np.float32(-1))
    rows = o.Concat(o.unsqueeze(kinds, 2), o.unsqueeze(best, 2), corners, axis=2)
    rows = o.Where(o.unsqueeze(good, 2), rows, none, result=np.float32)
    if not 0 < n.nms_threshold <= 1:
        return _sorted_rows(o, rows, o.cast(good, np.float32), length)
    rows = _sorted_rows(o, rows, o.squeeze(_columns(o, rows, 1, 2), 2), length)
    good = o.GreaterOrEqual(o.squeeze(_columns(o, rows, 1, 2), 2), float(n.threshold))
    places = o.Range(np.array(0, np.int64), o.squeeze(length, 0), np.array(1, np.int64))
    if n.nms_topk > 0:
        raise NotExportable("nms_topk, beyond which gluonic keeps rows in their own order")
    order = o.Sub(o.cast(o.squeeze(length, 0), np.float32), o.cast(places, np.float32))
    scores = o.Where(good, o.unsqueeze(order, 0), none, result=np.float32)
    classes = None if n.force_suppress else _columns(o, rows, 0, 1)
    keep = _kept(o, rows, scores, _columns(o, rows, 2, 6), classes, n.nms_threshold, length)
    shown = o.Where(o.unsqueeze(keep, 2), _columns(o, rows, 0, 1), none, result=np.float32)
    return o.Concat(shown, _columns(o, rows, 1, 6), axis=2)


@boxes.write("_contrib_MultiBoxPrior", "_contrib_index_array")
def _(o: Any, n: Any) -> Any:
    """What depends on the shape of the data alone is a constant; default boxes, on the image's size."""
    shape = shape_of(n, 0)
    if operator_of(n).name == "_contrib_MultiBoxPrior":
        shape = (1, 1, *shape[2:])
    if not all_fixed(shape):
        raise NotExportable("an image whose size depends on the inputs")
    data = np.broadcast_to(np.zeros((), n.data.dtype), shape)
    found = operator_of(n).kernel(data, **settings_of(n))
    return o.Identity(o.constant(found.reshape(output_shape(n)).astype(output_dtype(n))))
