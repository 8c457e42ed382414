"""Single-shot detection: default boxes, their training targets, and objects from predictions.

W. Liu and others: SSD: single shot multibox detector (2016).
"""

from typing import Any

import numpy as np

from gluonic.graph.axes import product, require_rank, scaled
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.boxes import box_decode
from gluonic.graph.ops.layer_rules import floating
from gluonic.graph.rectangles import as_centers, overlaps, survivors
from gluonic.graph.summation import total_like
from gluonic.graph.view import NodeView, title_of

Numbers = tuple[float, ...]
VARIANCES: Numbers = (0.1, 0.1, 0.2, 0.2)


@operator("_contrib_MultiBoxPrior", dtype=floating())
def multibox_prior(
    data: Array,
    *,
    sizes: Numbers = (1.0,),
    ratios: Numbers = (1.0,),
    clip: bool = False,
    steps: Numbers = (-1.0, -1.0),
    offsets: Numbers = (0.5, 0.5),
) -> Any:
    """Lay default boxes over an image, some around each pixel of a feature map.

    Parameters
    ----------
    data : the feature map, (batch, channels, height, width); its values are not used
    sizes : the boxes' sizes, as fractions of the image; all with the first of `ratios`
    ratios : aspect ratios, width by height; all with the first of `sizes`
    clip : clip the boxes to the image
    steps : the distance of two pixels, down and across, as fractions of the image; by default even
    offsets : the positions of the centres in a pixel, down and across

    Returns
    -------
    array
        corners as fractions of the image, (1, height · width · (sizes + ratios - 1), 4)
    """
    height, width = data.shape[2:4]
    down, across = steps if min(steps) > 0 else (1 / height, 1 / width)
    y = (np.arange(height, dtype=np.float32) + np.float32(offsets[0])) * np.float32(down)
    x = (np.arange(width, dtype=np.float32) + np.float32(offsets[1])) * np.float32(across)
    size = np.array([*sizes, *[sizes[0]] * (len(ratios) - 1)], np.float32)
    ratio = np.sqrt(np.array([*[ratios[0]] * len(sizes), *ratios[1:]], np.float32))
    half = np.stack([size * np.float32(height) / np.float32(width) * ratio, size / ratio], -1) / 2
    middle = np.stack(np.broadcast_arrays(x[None, :], y[:, None]), -1)[:, :, None]
    boxes = np.concatenate([middle - half, middle + half], -1).reshape(1, -1, 4)
    return np.clip(boxes, 0, 1) if clip else boxes


@multibox_prior.infer_shape
def _(n: NodeView) -> None:
    if len(n.data) < 4:
        require_rank(n.data, (4,), f"{title_of(n)}: data")
    if len(n.steps) != 2 or len(n.offsets) != 2 or not n.sizes or not n.ratios:
        raise InferenceError(
            f"{title_of(n)}: needs two steps and offsets, and at least one size and ratio"
        )
    per_pixel = len(n.sizes) + len(n.ratios) - 1
    n.output = (1, scaled(product(n.data[2:4]), per_pixel), 4)


multibox_prior.gradient()


@operator(
    "_contrib_MultiBoxTarget", outputs=("loc_target", "loc_mask", "cls_target"), dtype=floating()
)
def multibox_target(
    anchor: Array,
    label: Array,
    cls_pred: Array,
    *,
    overlap_threshold: float = 0.5,
    ignore_label: float = -1.0,
    negative_mining_ratio: float = -1.0,
    negative_mining_thresh: float = 0.5,
    minimum_negative_samples: int = 0,
    variances: Numbers = VARIANCES,
) -> tuple[Array, Array, Array]:
    """Find the training targets of default boxes, given the objects in the images.

    Parameters
    ----------
    anchor : corners of the default boxes, (1, boxes, 4)
    label : (batch, objects, 5 or more): class and corners of each object; -1 after the last one
    cls_pred : scores of the classes, background first, (batch, classes, boxes)
    overlap_threshold : boxes that overlap an object by more than that belong to it, as does the box
        that overlaps it most
    ignore_label : the class of boxes that are not trained
    negative_mining_ratio : if positive, the ratio of boxes trained as background, those least like
        background first, to boxes that belong to objects; otherwise all others are background
    negative_mining_thresh : with a ratio, boxes that overlap an object at least so much are no background
    minimum_negative_samples : accepted for compatibility
    variances : divisors of the targets

    Returns
    -------
    array, array, array
        targets of the coordinates and 1 where they count, else 0, both (batch, boxes · 4); and the
        classes, 0 for background, (batch, boxes)
    """
    boxes = anchor[0].astype(np.float32)
    count, batch = len(boxes), len(label)
    location = np.zeros((batch, count, 4), np.float32)
    mask, classes = np.zeros_like(location), np.full((batch, count), ignore_label, np.float32)
    for i in range(batch):
        objects = _objects(label[i].astype(np.float32))
        if not len(objects):
            continue
        shared = overlaps(boxes[:, None], objects[:, 1:5])
        matched, best = _match(shared, overlap_threshold)
        background = ~matched
        if negative_mining_ratio > 0:
            wanted = int(np.count_nonzero(matched) * negative_mining_ratio)
            possible = background & (shared.max(1) < negative_mining_thresh)
            background = _hardest(cls_pred[i], possible, wanted)
        own = objects[best[matched]]
        classes[i, matched] = own[:, 0] + 1
        classes[i, background] = 0
        mask[i, matched] = 1
        location[i, matched] = _encoded(own[:, 1:5], boxes[matched], variances)
    return location.reshape(batch, -1), mask.reshape(batch, -1), classes


def _objects(label: Array) -> Array:
    """Take the objects before the first one of class -1."""
    end = np.flatnonzero(label[:, 0] == -1)
    return label[: end[0]] if len(end) else label


def _match(shared: Array, threshold: float) -> tuple[Array, Array]:
    """Assign boxes to objects.

    First each object gets the box that it overlaps most, the best pairs first. Then each other box
    gets the object that it overlaps most, if the overlap exceeds the threshold.
    """
    best, matched = shared.argmax(1), np.zeros(len(shared), bool)
    free = shared.copy()
    for _ in range(shared.shape[1]):
        box, number = np.unravel_index(free.argmax(), free.shape)
        if free[box, number] <= 1e-6:
            break
        matched[box], best[box] = True, number
        free[box, :], free[:, number] = -1, -1
    if threshold > 0:
        matched |= shared.max(1) > threshold
    return matched, best


def _hardest(scores: Array, possible: Array, wanted: int) -> Array:
    """Choose the boxes that look least like background."""
    shifted = np.exp(scores - scores.max(0))
    background = shifted[0] / total_like(shifted, (0,))
    index = np.flatnonzero(possible)
    index = index[np.argsort(background[index], kind="stable")][:wanted]
    chosen = np.zeros(len(possible), bool)
    chosen[index] = True
    return chosen


def _encoded(objects: Array, boxes: Array, variances: Numbers) -> Any:
    """Encode objects by their offsets from their boxes."""
    target, box = as_centers(objects), as_centers(boxes)
    shift = (target[:, :2] - box[:, :2]) / box[:, 2:]
    growth = np.log(target[:, 2:] / box[:, 2:])
    return np.concatenate([shift, growth], 1) / np.array(variances, np.float32)


@multibox_target.infer_shape
def _(n: NodeView) -> None:
    require_rank(n.anchor, (3,), f"{title_of(n)}: anchor")
    n.anchor = (1, None, 4)
    require_rank(n.label, (3,), f"{title_of(n)}: label")
    require_rank(n.cls_pred, (3,), f"{title_of(n)}: cls_pred")
    if n.label[2] is not None and n.label[2] < 5:
        raise InferenceError(f"{title_of(n)}: label needs a class and four coordinates in each row")
    if len(n.variances) != 4:
        raise InferenceError(f"{title_of(n)}: variances {n.variances} must be four numbers")
    n.cls_pred = (n.label[0], None, n.anchor[1])
    batch, boxes = n.cls_pred[0], n.cls_pred[2]
    n.anchor, n.label = (1, boxes, 4), (batch, None, None)
    n.loc_target = n.loc_mask = (batch, scaled(boxes, 4))
    n.cls_target = (batch, boxes)


multibox_target.gradient()


@operator("_contrib_MultiBoxDetection", dtype=floating())
def multibox_detection(
    cls_prob: Array,
    loc_pred: Array,
    anchor: Array,
    *,
    clip: bool = True,
    threshold: float = 0.01,
    background_id: int = 0,
    nms_threshold: float = 0.5,
    force_suppress: bool = False,
    variances: Numbers = VARIANCES,
    nms_topk: int = -1,
) -> Any:
    """Find the objects that default boxes predict.

    Parameters
    ----------
    cls_prob : probabilities of the classes, background first, (batch, classes, boxes)
    loc_pred : predicted offsets from the default boxes, (batch, boxes · 4)
    anchor : corners of the default boxes, (1, boxes, 4)
    clip : clip objects to the image
    threshold : the least probability of an object
    background_id : accepted for compatibility; background is class 0
    nms_threshold : the overlap (intersection over union) from which only the better object is kept
    force_suppress : whether objects of other classes are dropped too
    variances : factors on the predictions
    nms_topk : the number of best objects that are kept, if positive

    Returns
    -------
    array
        (batch, boxes, 6): class (from 0, -1 for none), probability and corners of each object
    """
    batch, _, count = cls_prob.shape
    names = ("std0", "std1", "std2", "std3")
    boxes = box_decode.kernel(
        loc_pred.reshape(batch, count, 4),
        anchor,
        **dict(zip(names, variances, strict=True)),
        clip=-1.0,
        format="corner",
    )
    if clip:
        boxes = np.clip(boxes, 0, 1)
    kinds = cls_prob[:, 1:].argmax(1)
    best = cls_prob[:, 1:].max(1)
    output = np.full((batch, count, 6), -1, cls_prob.dtype)
    for i in range(batch):
        index = np.flatnonzero(best[i] >= threshold)
        rows = np.concatenate(
            [kinds[i, index, None], best[i, index, None], boxes[i, index]], -1
        ).astype(output.dtype)
        output[i, : len(rows)] = rows
        if len(rows) and 0 < nms_threshold <= 1:
            _drop_covered(output[i], rows, nms_threshold, force_suppress, nms_topk)
    return output


def _drop_covered(
    output: Array, rows: Array, threshold: float, across_classes: bool, topk: int
) -> None:
    """Order objects, the best first, and give class -1 to those that are dropped."""
    order = np.argsort(-rows[:, 1], kind="stable")[: topk if topk > 0 else len(rows)]
    output[len(order) : len(rows), 0] = -1
    output[: len(order)] = rows[order]
    classes = None if across_classes else rows[order, 0]
    left = survivors(rows[order, 2:], classes, threshold, strict=False)
    output[: len(order)][~left, 0] = -1


@multibox_detection.infer_shape
def _(n: NodeView) -> None:
    require_rank(n.cls_prob, (3,), f"{title_of(n)}: cls_prob")
    require_rank(n.anchor, (3,), f"{title_of(n)}: anchor")
    if len(n.variances) != 4:
        raise InferenceError(f"{title_of(n)}: variances {n.variances} must be four numbers")
    n.anchor = (1, n.cls_prob[2], 4)
    batch, boxes = n.cls_prob[0], n.anchor[1]
    n.loc_pred = (batch, scaled(boxes, 4))
    n.cls_prob = (n.loc_pred[0], None, boxes)
    n.output = (n.loc_pred[0], boxes, 6)


multibox_detection.gradient()
