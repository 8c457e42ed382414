"""Batches of `ImageDetRecordIter`: labels, and the pixels."""

from __future__ import annotations

import os
import tempfile
import zlib
from typing import Any

import numpy as np

from tests.measured.image_records import image, parameters, png

# kind, left, top, right, bottom of objects by image; the last object is none
OBJECTS = [
    [
        [float((number + i) % 5), 0.05 * number, 0.1 * i, 0.4 + 0.05 * number, 0.35 + 0.15 * i, i]
        for i in range(1 + number % 3)
    ]
    + [[9, 0.5, 0.5, 0.5, 0.6, 0]] * (number == 4)
    for number in range(8)
]
_CROPS = {"rand_crop_prob": 0.9, "min_crop_scales": (0.3,), "max_crop_scales": (0.9,)}
CASES: dict[str, dict[str, Any]] = {
    "as they are": {},
    "shuffled": {"shuffle": True, "seed": 3},
    "in parts": {"num_parts": 2, "part_index": 1, "batch_size": 2},
    "filled up": {"batch_size": 3, "label_pad_width": 30, "label_pad_value": -7},
    "not filled up": {"batch_size": 3, "round_batch": False},
    "labels of a list": {"path_imglist": True},
    "resized before": {"resize": 12, "inter_method": 2},
    "normalized": {"mean_r": 100, "mean_g": 50, "std_r": 5, "std_b": 7, "scale": 0.5},
    "deviations": {"std_g": 5, "scale": 2},
    "mean image": {"mean_img": True, "std_r": 3},
    "grey": {"data_shape": (1, 8, 10)},
    "mirrored": {"rand_mirror_prob": 0.5},
    "padded": {"rand_pad_prob": 0.8, "max_pad_scale": 2.0, "fill_value": 5},
    "cropped": _CROPS,
    "cropped to other ratios": {
        **_CROPS, "min_crop_aspect_ratios": (0.5,), "max_crop_aspect_ratios": (2.0,),
        "crop_emit_mode": "overlap", "emit_overlap_thresh": 0.4,
    },
    "cropped within limits": {
        **_CROPS, "min_crop_overlaps": (0.2,), "max_crop_sample_coverages": (0.9,),
        "min_crop_object_coverages": (0.3,), "max_crop_trials": (50,),
    },
    "several samplers": {
        "rand_crop_prob": 1, "num_crop_sampler": 3, "min_crop_scales": (0.3, 0.4, 0.5),
        "max_crop_scales": (0.6, 0.7, 0.8), "min_crop_overlaps": (0.1, 0.3, 0.9), "max_crop_trials": (5,),
    },
    "shrunk": {"resize_mode": "shrink", "data_shape": (3, 12, 12)},
    "fit": {"resize_mode": "fit", "data_shape": (3, 24, 24)},
    "colours": {
        "random_hue_prob": 0.5, "max_random_hue": 20, "random_saturation_prob": 0.5,
        "max_random_saturation": 30, "random_illumination_prob": 0.5, "max_random_illumination": 30,
    },
    "contrast": {"random_contrast_prob": 0.7, "max_random_contrast": 0.5},
    "everything": {
        **_CROPS, "rand_pad_prob": 0.5, "max_pad_scale": 1.5, "rand_mirror_prob": 0.5, "inter_method": 10,
        "random_contrast_prob": 0.5, "max_random_contrast": 0.2,
    },
}  # fmt: skip


def write(mx: Any, folder: str) -> dict[str, str]:
    """A file of records, and a list with other labels."""
    paths = {name: os.path.join(folder, name) for name in ("path_imgrec", "path_imglist")}
    record = mx.recordio.MXRecordIO(paths["path_imgrec"], "w")
    with open(paths["path_imglist"], "w") as file:
        for number, objects in enumerate(OBJECTS):
            label = [3, 6, 0.5, *np.ravel(objects)]
            record.write(mx.recordio.pack((0, label, number, 0), png(image(number))))
            text = "\t".join(str(round(float(n), 3)) for n in [2, 6, *objects[0]])
            file.write(f"{number}\t{text}\tx.png\n")
    record.close()
    return paths


def batches(mx: Any, settings: dict[str, Any]) -> Any:
    """Two passes: labels, filling, and the images: what they have of a row, as a checksum."""
    with tempfile.TemporaryDirectory() as folder:
        paths = write(mx, folder)
        given = {"data_shape": (3, 8, 10), "batch_size": 4, "preprocess_threads": 1, **settings}
        given = {
            name: paths[name] if value is True and name in paths else value
            for name, value in given.items()
        }
        if given.get("mean_img"):
            given["mean_img"] = os.path.join(folder, "mean.bin")
        made = mx.io.ImageDetRecordIter(path_imgrec=paths["path_imgrec"], verbose=False, **given)
        found = []
        for number in range(2):
            if number:
                made.reset()
            found += [_summary(batch, settings) for batch in made]
        return found


def _summary(batch: Any, settings: dict[str, Any]) -> Any:
    labels, images = batch.label[0].asnumpy(), batch.data[0].asnumpy()
    rows = len(labels) - batch.pad * (not settings.get("round_batch", True))
    sums = 0
    for label, one in list(zip(labels, images))[:rows]:  # noqa: B905 (runs on MXNet's Python, too)
        part = np.ascontiguousarray(one[:, : int(label[1]), : int(label[2])])
        sums = zlib.crc32(part.tobytes(), sums)
    return [labels[:rows], batch.pad, f"{sums:08x}"]


def cases(mx: Any) -> dict[str, Any]:
    """Batches by settings, and the parameters."""
    return {
        **{case: lambda v=v: batches(mx, v) for case, v in CASES.items()},
        "parameters": lambda: parameters(mx.io.ImageDetRecordIter),
    }
