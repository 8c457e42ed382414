"""Samples of normalization layers and of dropout."""

from typing import Any

from tests.graph.samples.sample import Sample, uniform

FLOATS = ("float32", "float16")


def _batch_norm(*shape: int, channels: int = 3, train: bool = True, **attributes: Any) -> Sample:
    vectors = [uniform(channels, low=0.5, high=2, seed=i) for i in range(4)]
    return Sample([uniform(*shape), *vectors], attributes, train=train)


SAMPLES = {
    "BatchNorm": [
        _batch_norm(4, 3, 2, fix_gamma=False),
        _batch_norm(4, 3, 2, fix_gamma=False, output_mean_var=True),
        _batch_norm(4, 3, eps=0.1, momentum=0.5),
        _batch_norm(2, 4, 3, axis=-1, fix_gamma=False),
        _batch_norm(3, 4, 2, axis=0, fix_gamma=False),
        _batch_norm(4, 3, 2, fix_gamma=False, use_global_stats=True),
        _batch_norm(4, 3, 2, train=False, fix_gamma=False, output_mean_var=True),
        _batch_norm(4, 3, 2, train=False),
        _batch_norm(0, 3, 2),
    ],
    "_contrib_SyncBatchNorm": [
        _batch_norm(4, 3, 2, fix_gamma=False, key="0", ndev=2),
        _batch_norm(4, 3, 2, key="0", train=False, output_mean_var=True),
        _batch_norm(4, 3, 2, key="0", fix_gamma=False, output_mean_var=True),
    ],
    "_contrib_BatchNormWithReLU": [
        _batch_norm(4, 3, 2, 2, fix_gamma=False),
        _batch_norm(4, 3, 2, 2, fix_gamma=False, output_mean_var=True),
        _batch_norm(2, 4, 3, axis=-1, fix_gamma=False, use_global_stats=True),
        _batch_norm(4, 3, 2, 2, train=False),
    ],
    "BatchNorm_v1": [
        _batch_norm(4, 3, 2, 2, fix_gamma=False, output_mean_var=True),
        _batch_norm(4, 3, 2, 2, train=False),
    ],
    "LayerNorm": [
        Sample([uniform(2, 3, 4), uniform(4), uniform(4)], dtypes=FLOATS),
        Sample([uniform(2, 3, 4), uniform(3), uniform(3)], {"axis": 1, "output_mean_var": True}),
        Sample([uniform(4), uniform(4), uniform(4)], {"axis": 0, "eps": 0.1}),
        Sample([uniform(0, 4), uniform(4), uniform(4)]),
    ],
    "InstanceNorm": [
        Sample([uniform(2, 3, 4), uniform(3), uniform(3)], dtypes=FLOATS),
        Sample([uniform(2, 3, 2, 2), uniform(3), uniform(3)], {"eps": 0.1}),
    ],
    "GroupNorm": [
        Sample([uniform(2, 6, 4), uniform(3), uniform(3)], {"num_groups": 3}, dtypes=FLOATS),
        Sample(
            [uniform(2, 4, 2, 2), uniform(2), uniform(2)],
            {"num_groups": 2, "output_mean_var": True},
        ),
        Sample([uniform(2, 4, 3), uniform(1), uniform(1)]),
    ],
    "_mean_over_ranks": [
        Sample([uniform(4, 3, 2)], {"what": "x", "axis": 1, "exclude": True}, dtypes=FLOATS),
        Sample([uniform(4, 3, 2)], {"what": "x", "axis": 1, "keepdims": True}),
    ],
    "_backward_mean_over_ranks": [
        Sample(
            [uniform(1, 3, 1), uniform(4, 3, 2)],
            {"what": "x", "axis": 1, "exclude": True, "keepdims": True},
        ),
    ],
    "_channel_view_like": [Sample([uniform(3), uniform(2, 3, 4)], {"axis": -2})],
    "_cast_as": [Sample([uniform(2, 3), uniform(3)])],
    "L2Normalization": [
        Sample([uniform(2, 3, 4)], {"mode": mode, "eps": 0.1}, dtypes=FLOATS)
        for mode in ("instance", "channel", "spatial")
    ],
    "LRN": [
        Sample([uniform(2, 5, 2, 2)], {"nsize": 3}, dtypes=FLOATS),
        Sample([uniform(2, 5, 2, 2)], {"nsize": 5, "alpha": 0.5, "beta": 0.6, "knorm": 1.0}),
        Sample([uniform(2, 2, 2, 2)], {"nsize": 7}),
    ],
    "_channel_window_sum": [Sample([uniform(2, 5, 2, 2)], {"nsize": 3})],
    "Dropout": [
        Sample([uniform(3, 4)], dtypes=FLOATS),
        Sample([uniform(3, 4)], {"p": 0.3}, dtypes=FLOATS, train=True, differentiable=()),
        Sample([uniform(3, 4)], {"axes": (0,), "mode": "always"}, differentiable=()),
        Sample([uniform(3, 4)], {"p": 0.0}, train=True),
    ],
}
