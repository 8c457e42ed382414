"""Regions of an image that may hold an object.

S. Ren and others: Faster R-CNN (2015).
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

from gluonic.graph.axes import require_rank, scaled
from gluonic.graph.errors import InferenceError, MXNetError, describe
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import floating
from gluonic.graph.rectangles import survivors
from gluonic.graph.view import NodeView, title_of

Numbers = tuple[float, ...]


def anchors_around(ratios: Numbers, scales: Numbers, stride: int) -> Array:
    """Lay boxes of several aspect ratios and sizes around the first pixel, with inclusive corners."""
    shape = np.repeat(np.array(ratios, np.float32), len(scales))
    scale = np.tile(np.array(scales, np.float32), len(ratios))
    width = np.floor(np.sqrt(np.floor(np.float32(stride * stride) / shape)) + 0.5) * scale
    height = np.floor(width / scale * shape + 0.5) * scale
    half = (np.stack([width, height], -1) - 1) / 2
    middle = np.float32((stride - 1) / 2)
    return np.concatenate([middle - half, middle + half], -1).astype(np.float32)


def _shifted(anchors: Array, height: int, width: int, stride: int) -> Array:
    """Repeat the boxes for every pixel: (height, width, anchors, 4)."""
    y, x = np.mgrid[:height, :width].astype(np.float32) * stride
    shift = np.stack([x, y, x, y], -1)
    boxes: Array = shift[:, :, None] + anchors
    return boxes


def _moved(boxes: Array, change: Array, by_corners: bool) -> Array:
    """Apply predicted changes, (height, width, anchors, 4), to the boxes."""
    if by_corners:
        return boxes + change
    size = boxes[..., 2:] - boxes[..., :2] + 1
    middle = boxes[..., :2] + (size - 1) / 2 + change[..., :2] * size
    half = (np.exp(change[..., 2:]) * size - 1) / 2
    return np.concatenate([middle - half, middle + half], -1)


def _propose(scores: Array, changes: Array, info: Array, n: Any) -> tuple[Array, Array]:
    """Find the proposals of one image.

    Parameters
    ----------
    scores : the scores of the anchors, (anchors, height, width)
    changes : the offsets from the anchors, (anchors · 4, height, width)
    info : height, width and scale of the image
    """
    count, height, width = scores.shape
    rows, columns = (int(length / n.feature_stride) for length in info[:2])
    if rows > height or columns > width:
        raise MXNetError(
            describe(
                f"im_info says {info[0]:g}x{info[1]:g} but the features cover only"
                f" {height * n.feature_stride}x{width * n.feature_stride}",
                where="Proposal",
            )
        )
    grid = _shifted(
        anchors_around(n.ratios, n.scales, n.feature_stride), height, width, n.feature_stride
    )
    change = changes.reshape(count, 4, height, width).transpose(2, 3, 0, 1)
    limits = np.array([info[1], info[0], info[1], info[0]], np.float32) - 1
    boxes = np.clip(_moved(grid, change, n.iou_loss), 0, limits)
    score = scores.transpose(1, 2, 0).astype(np.float32)
    score[rows:], score[:, columns:] = -1, -1
    least = n.rpn_min_size * info[2]
    small = (boxes[..., 2:] - boxes[..., :2] + 1 < least).any(-1)
    boxes[small] += np.array([-1, -1, 1, 1], np.float32) * least / 2
    score[small] = -1
    flat, score = boxes.reshape(-1, 4), score.ravel()
    order = np.argsort(-score, kind="stable")
    order = order[: n.rpn_pre_nms_top_n if n.rpn_pre_nms_top_n > 0 else len(order)]
    outlines = flat[order] + np.array([0, 0, 1, 1], np.float32)
    most = min(n.rpn_post_nms_top_n, len(order))
    left = survivors(outlines, None, n.threshold, strict=True, most=most)
    kept = order[np.flatnonzero(left)[:most]]
    kept = kept[np.arange(n.rpn_post_nms_top_n) % len(kept)]
    return flat[kept], score[kept]


def _propose_for_all(scores: Array, changes: Array, info: Array, n: Any) -> tuple[Array, Array]:
    """Find the proposals of all images: the image's index and corners, and probabilities."""
    half = scores.shape[1] // 2
    found = [
        _propose(each[half:], change, size, n)
        for each, change, size in zip(scores, changes, info, strict=True)
    ]
    numbered = [np.insert(boxes, 0, i, axis=1) for i, (boxes, _) in enumerate(found)]
    return np.concatenate(numbered), np.concatenate([score for _, score in found])[:, None]


def _shapes(n: NodeView) -> None:
    require_rank(n.cls_prob, (4,), f"{title_of(n)}: cls_prob")
    batch, scores, height, width = n.cls_prob
    count = len(n.ratios) * len(n.scales)
    if scores not in (2 * count, None):
        raise InferenceError(
            f"{title_of(n)}: {len(n.ratios)} ratios and {len(n.scales)} scales need {2 * count}"
            f" channels of cls_prob, not {scores}"
        )
    n.bbox_pred = (batch, 4 * count, height, width)
    n.im_info = (batch, 3)
    n.output = (scaled(n.im_info[0], n.rpn_post_nms_top_n), 5)
    n.score = (n.output[0], 1)


def _register(name: str, several: bool) -> None:
    def proposal(
        cls_prob: Array,
        bbox_pred: Array,
        im_info: Array,
        *,
        rpn_pre_nms_top_n: int = 6000,
        rpn_post_nms_top_n: int = 300,
        threshold: float = 0.7,
        rpn_min_size: int = 16,
        scales: Numbers = (4.0, 8.0, 16.0, 32.0),
        ratios: Numbers = (0.5, 1.0, 2.0),
        feature_stride: int = 16,
        output_score: bool = False,
        iou_loss: bool = False,
    ) -> tuple[Array, Array]:
        """Propose regions that may hold an object.

        Parameters
        ----------
        cls_prob : probabilities of no object and of an object, for each anchor,
            (batch, 2 · anchors, height, width)
        bbox_pred : offsets of the regions from the anchors, (batch, 4 · anchors, height, width)
        im_info : height, width and scale of each image, (batch, 3)
        rpn_pre_nms_top_n, rpn_post_nms_top_n : the maximum number of regions before overlapping ones are
            dropped, and the exact number afterwards (regions repeat if there are too few)
        threshold : the overlap above which only the better region is kept
        rpn_min_size : the minimum length of a side, in pixels before the image was scaled
        scales, ratios : sizes of the anchors in pixels of the features, and height by width
        feature_stride : number of pixels of the image per feature
        output_score : return the probabilities too
        iou_loss : whether the offsets are those of the corners, not of centre and size

        Returns
        -------
        array, array
            the index of the image and corners, (regions, 5), and probabilities, (regions, 1)
        """
        if len(cls_prob) > 1 and not several:
            raise MXNetError(describe("takes one image", where=name, hint="_contrib_MultiProposal"))
        settings = SimpleNamespace(
            rpn_pre_nms_top_n=rpn_pre_nms_top_n,
            rpn_post_nms_top_n=rpn_post_nms_top_n,
            threshold=threshold,
            rpn_min_size=rpn_min_size,
            scales=scales,
            ratios=ratios,
            feature_stride=feature_stride,
            iou_loss=iou_loss,
        )
        return _propose_for_all(cls_prob, bbox_pred, im_info, settings)

    op = operator(
        name,
        outputs=("output", "score"),
        visible=lambda n: 2 if n.output_score else 1,
        shape=_shapes,
        dtype=floating(),
    )(proposal)
    op.gradient()


_register("_contrib_Proposal", several=False)
_register("_contrib_MultiProposal", several=True)
