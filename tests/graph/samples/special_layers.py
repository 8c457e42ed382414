"""Samples of correlation, deformable convolution and the sparseness penalty."""

from tests.graph.samples.sample import Sample, uniform

IMAGES = [uniform(2, 3, 6, 7), uniform(2, 3, 6, 7, seed=1)]
OFFSET = uniform(2, 8, 4, 5, low=0.05, high=0.95)

SAMPLES = {
    "Correlation": [
        Sample(IMAGES, {"max_displacement": 2}, dtypes=("float32", "float16")),
        Sample(
            IMAGES,
            {"kernel_size": 3, "max_displacement": 2, "stride1": 2, "stride2": 2, "pad_size": 3},
        ),
        Sample(IMAGES, {"is_multiply": False, "pad_size": 1}, orders=1),
    ],
    "_contrib_DeformableConvolution": [
        Sample(
            [uniform(2, 4, 5, 6), OFFSET, uniform(3, 4, 2, 2), uniform(3)],
            {"kernel": (2, 2), "num_filter": 3},
            orders=1,
        ),
        Sample(
            [uniform(2, 4, 7, 7), uniform(2, 24, 4, 4, low=0.05, high=0.95), uniform(4, 2, 2, 3)],
            {
                "kernel": (2, 3),
                "num_filter": 4,
                "stride": (2, 2),
                "pad": (1, 1),
                "num_group": 2,
                "num_deformable_group": 2,
                "no_bias": True,
            },
            orders=1,
        ),
    ],
    "_contrib_ModulatedDeformableConvolution": [
        Sample(
            [uniform(2, 4, 5, 6), OFFSET, uniform(2, 4, 4, 5), uniform(3, 4, 2, 2), uniform(3)],
            {"kernel": (2, 2), "num_filter": 3},
            orders=1,
        ),
        Sample(
            [
                uniform(2, 4, 7, 7),
                uniform(2, 24, 4, 4, low=0.05, high=0.95),
                uniform(2, 12, 4, 4, low=0, high=1),
                uniform(4, 2, 2, 3),
            ],
            {
                "kernel": (2, 3),
                "num_filter": 4,
                "stride": (2, 2),
                "pad": (1, 1),
                "num_group": 2,
                "num_deformable_group": 2,
                "no_bias": True,
            },
            orders=1,
        ),
    ],
    "IdentityAttachKLSparseReg": [
        Sample(
            [uniform(3, 4, low=0.1, high=0.9), uniform(4, low=0.1, high=0.9)],
            differentiable=(),
            train=True,
        )
    ],
}
