"""Samples of resizing."""

from tests.graph.samples.sample import Sample, uniform

IMAGES = uniform(2, 3, 4, 5)

SAMPLES = {
    "_contrib_BilinearResize2D": [
        Sample([IMAGES], {"height": 7, "width": 3}, dtypes=("float32", "float16")),
        Sample([IMAGES], {"height": 7, "width": 3, "align_corners": False}),
        Sample([IMAGES], {"height": 1, "width": 1}),
        Sample([IMAGES], {"scale_height": 2.0, "scale_width": 0.5}),
        Sample([IMAGES], {"scale_height": 2.0, "scale_width": 3.0, "mode": "odd_scale"}),
        Sample([IMAGES, uniform(1, 1, 6, 2)], {"mode": "like"}),
        Sample([IMAGES], {"mode": "to_even_down"}),
        Sample([IMAGES], {"mode": "to_odd_up"}),
    ],
    "_contrib_AdaptiveAvgPooling2D": [
        Sample([IMAGES], dtypes=("float32", "float16")),
        Sample([IMAGES], {"output_size": 2}),
        Sample([IMAGES], {"output_size": (3, 7)}),
    ],
    "UpSampling": [
        Sample([IMAGES], {"scale": 2, "sample_type": "nearest"}, dtypes=("float32", "float16")),
        Sample([IMAGES, uniform(2, 1, 8, 10)], {"scale": 4, "sample_type": "nearest"}),
        Sample(
            [IMAGES, uniform(2, 3, 2, 5)],
            {"scale": 2, "sample_type": "nearest", "multi_input_mode": "sum"},
        ),
        Sample(
            [IMAGES, uniform(3, 1, 4, 4)],
            {"scale": 2, "sample_type": "bilinear", "num_filter": 3},
        ),
        Sample(
            [IMAGES, uniform(3, 1, 5, 5)],
            {"scale": 3, "sample_type": "bilinear", "num_filter": 3},
        ),
    ],
}
