"""Samples of operators that find objects in images."""

from typing import Any

import numpy as np

from tests.graph.samples.sample import Sample, uniform

FLOATING = ("float32", "float16")
REGIONS = np.array([[0, 0, 0, 8, 6], [1, 2, 3, 9, 8.5], [0, 5, 5, 5, 5], [1, -3, -2, 4, 3]])


def _boxes(*shape: int, seed: int = 0) -> Any:
    corner = uniform(*shape, 2, low=0, high=0.6, seed=seed)
    return np.concatenate(
        [corner, corner + uniform(*shape, 2, low=0.1, high=0.4, seed=seed + 1)], -1
    )


def _detections(*shape: int) -> Any:
    kinds = np.random.Generator(np.random.Philox(0)).integers(0, 2, (*shape, 1))
    return np.concatenate([kinds, uniform(*shape, 1, low=0, seed=5), _boxes(*shape)], -1)


def _labels() -> Any:
    labels = np.full((2, 3, 5), -1.0)
    labels[0, :, 0], labels[0, :, 1:] = [0, 1, 0], _boxes(3, seed=8)
    labels[1, :1, 0], labels[1, :1, 1:] = 1, _boxes(1, seed=9)
    return labels


def _fixed(*arrays: Any, **attributes: Any) -> Sample:
    """A sample of which only the forward values matter: the gradient is zero by convention."""
    return Sample(arrays, attributes, differentiable=())


def _align(**attributes: Any) -> Sample:
    return Sample(
        [uniform(2, 4, 5, 6), REGIONS],
        {"pooled_size": (2, 2), "spatial_scale": 0.5, **attributes},
        differentiable=(0,),
    )


def _proposal(batch: int, **attributes: Any) -> Sample:
    scores, changes = uniform(batch, 4, 5, 6, low=0), uniform(batch, 8, 5, 6, seed=1) / 5
    info = np.array([[75.0, 90, 1]] * batch)
    settings = {"scales": (2, 4), "ratios": (1,), "rpn_post_nms_top_n": 7}
    return _fixed(scores, changes, info, **settings, **attributes)


NUMBERS = np.random.Generator(np.random.Philox(4)).permutation(240).reshape(2, 4, 5, 6) / 10
_MOVED = {"spatial_scale": 0.5, "output_dim": 2, "group_size": 2}

SAMPLES = {
    "ROIPooling": [
        Sample([NUMBERS, REGIONS], {"pooled_size": size, "spatial_scale": 0.5}, differentiable=(0,))
        for size in ((2, 2), (3, 1))
    ],
    "_take_flat": [
        Sample([uniform(2, 3), np.array([[0, -1, 5, 0]])], dtypes=FLOATING),
        Sample([uniform(0, 3), np.array([[-1, -1]])]),
    ],
    "_contrib_ROIAlign": [
        _align(),
        _align(sample_ratio=2),
        _align(position_sensitive=True),
        Sample(
            [uniform(2, 4, 5, 6), REGIONS[:2]],
            {"pooled_size": (3, 2), "spatial_scale": 0.5, "aligned": True},
            differentiable=(0,),
        ),
    ],
    "_contrib_PSROIPooling": [
        Sample(
            [uniform(2, 8, 5, 6), REGIONS],
            {"spatial_scale": 0.5, "output_dim": 2, "pooled_size": size, "group_size": 2},
            differentiable=(0,),
        )
        for size in (2, 3)
    ],
    "_contrib_DeformablePSROIPooling": [
        Sample(
            [uniform(2, 8, 5, 6), REGIONS, uniform(len(REGIONS), 4, 3, 3, seed=1)],
            {**_MOVED, "pooled_size": 3, "trans_std": 0.3},
            differentiable=(0, 2),
            orders=1,
        ),
        Sample(
            [uniform(2, 8, 5, 6), REGIONS, uniform(len(REGIONS), 2, 2, 2, seed=1)],
            {**_MOVED, "pooled_size": 4, "part_size": 2, "sample_per_part": 2, "trans_std": 0.1},
            differentiable=(0, 2),
            orders=1,
        ),
        Sample(
            [uniform(2, 8, 5, 6), REGIONS],
            {**_MOVED, "pooled_size": 2, "no_trans": True},
            differentiable=(0,),
            orders=1,
        ),
    ],
    "_contrib_RROIAlign": [
        Sample(
            [uniform(2, 3, 5, 6), np.array([[0, 4, 4, 8, 6, 30], [1, 5, 3, 6, 4, -45.0]])],
            {"pooled_size": (2, 3), "spatial_scale": 0.5, "sampling_ratio": ratio},
            differentiable=(),
        )
        for ratio in (-1, 2)
    ],
    "_contrib_box_iou": [
        _fixed(_boxes(2, 3), _boxes(4, seed=7)),
        _fixed(_boxes(3), _boxes(4, seed=7), format="center"),
    ],
    "_contrib_box_nms": [
        Sample([_detections(2, 6)], {"overlap_thresh": 0.2}),
        Sample([_detections(6)], {"overlap_thresh": 0.2, "id_index": 0, "topk": 4}),
        Sample([_detections(2, 6)], {"topk": 0}),
        _fixed(_detections(6), out_format="center"),
    ],
    "_contrib_bipartite_matching": [
        _fixed(uniform(2, 3, 4, low=0), threshold=0.1),
        _fixed(uniform(3, 4, low=0), threshold=0.9, is_ascend=True, topk=1),
    ],
    "_contrib_box_encode": [
        _fixed(
            np.array([[1.0, 0, -1]]),
            np.array([[1.0, 0, 0]]),
            _boxes(1, 3),
            _boxes(1, 2, seed=5),
            np.zeros(4),
            np.array([0.1, 0.1, 0.2, 0.2]),
        )
    ],
    "_contrib_box_decode": [
        _fixed(uniform(2, 3, 4), _boxes(1, 3)),
        _fixed(uniform(2, 3, 4), _boxes(1, 3), format="corner", clip=0.2, std0=0.1),
    ],
    "_contrib_Proposal": [_proposal(1), _proposal(1, output_score=True, iou_loss=True)],
    "_contrib_MultiProposal": [_proposal(2, output_score=True, rpn_pre_nms_top_n=9)],
    "_contrib_MultiBoxPrior": [
        _fixed(uniform(1, 3, 2, 3), sizes=(0.2, 0.4), ratios=(1, 2, 0.5)),
        _fixed(uniform(1, 3, 2, 3), clip=True, steps=(0.2, 0.3)),
    ],
    "_contrib_MultiBoxTarget": [
        _fixed(_boxes(1, 9, seed=2), _labels(), uniform(2, 3, 9)),
        _fixed(_boxes(1, 9, seed=2), _labels(), uniform(2, 3, 9), negative_mining_ratio=2),
    ],
    "_contrib_MultiBoxDetection": [
        _fixed(uniform(2, 3, 9, low=0), uniform(2, 36), _boxes(1, 9), nms_threshold=0.2),
        _fixed(uniform(2, 3, 9, low=0), uniform(2, 36), _boxes(1, 9), nms_topk=2),
    ],
}
