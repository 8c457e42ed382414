"""MXNet's parameters of the iterators over files of images."""

from typing import Literal

from gluonic.graph.attributes import REQUIRED, Shape
from gluonic.io.parameters import Setting as P

Integers = tuple[int, ...]

RECORDS = (
    P("path_imgrec", str, REQUIRED, "Files of records, or folders of them, separated by semicolons."),
    P("data_shape", Shape, REQUIRED, "The shape of an image: channels (1, 3 or 4), height, width."),
    P("batch_size", int, REQUIRED, "The number of images in a batch.", 1),
    P("path_imgidx", str, "", "The index of the records; with it, shuffling covers all of them."),
    P("path_imglist", str, "", "A list of labels that override those in the records."),
    P("label_width", int, 1, "The number of labels of an image.", 1),
    P("aug_seq", str, "aug_default", "Names of augmenters, with commas between."),
    P("preprocess_threads", int, 4, "The number of threads that decode, at most one per core.", 1),
    P("num_parts", int, 1, "The number of parts that the records are divided into.", 1),
    P("part_index", int, 0, "The part to read.", 0),
    P("shuffle", bool, False, "Whether to shuffle: within chunks of 64 MiB where there is no index."),
    P("seed", int, 0, "The seed of the shuffling."),
    P("seed_aug", int | None, None, "The seed of random crops and other augmentation, image by image."),
    P("shuffle_chunk_size", int, 0, "Read chunks of this many mebibytes in random order.", 0),
    P("shuffle_chunk_seed", int, 0, "The seed of the order of chunks."),
    P("round_batch", bool, True, "Pad the last batch with the first images, which the next pass "
      "then skips; otherwise the rest of it is 0."),
    P("prefetch_buffer", int, 4, "The number of batches computed ahead.", 1),
    P("dtype", Literal["float32", "uint8", "int8"] | None, None, "The dtype of images; float32 by default."),
    P("ctx", Literal["cpu", "gpu"], "gpu", "Has no effect."),
    P("device_id", int, 0, "Has no effect."),
    P("verbose", bool, True, "Has no effect."),
    P("data_name", str, "data", "The name of the images."),
    P("label_name", str, "softmax_label", "The name of the labels."),
)  # fmt: skip

AUGMENTATION = (
    P("resize", int, -1, "Resize the shorter side to this first; -1: no resizing."),
    P("rand_crop", bool, False, "Cut out a part at a random position, not the middle."),
    P("random_resized_crop", bool, False, "Cut out a part of random area and aspect ratio, and resize it."),
    P("max_rotate_angle", int, 0, "Rotate by a random angle of at most this, in degrees.", 0),
    P("max_aspect_ratio", float, 0.0, "Change the aspect ratio by a factor of at most 1 plus or minus this; "
      "up to this factor if there is `min_aspect_ratio`."),
    P("min_aspect_ratio", float | None, None, "The least such factor."),
    P("max_shear_ratio", float, 0.0, "Shear by at most this, at random."),
    P("max_crop_size", int, -1, "Cut out a square of at most this side, and resize it; -1: no such crop."),
    P("min_crop_size", int, -1, "The least side of such a square."),
    P("max_random_scale", float, 1.0, "Scale by at most this factor, at random."),
    P("min_random_scale", float, 1.0, "The least such factor."),
    P("max_random_area", float, 1.0, "The largest fraction of the image in a part of random area."),
    P("min_random_area", float, 1.0, "The smallest such fraction."),
    P("max_img_size", float, 1e10, "The greatest width and height after scaling."),
    P("min_img_size", float, 0.0, "The least width and height after scaling."),
    P("brightness", float, 0.0, "Change brightness by a factor of at most 1 plus or minus this."),
    P("contrast", float, 0.0, "Change contrast by a factor of at most 1 plus or minus this."),
    P("saturation", float, 0.0, "Change saturation by a factor of at most 1 plus or minus this."),
    P("pca_noise", float, 0.0, "The deviation of noise along the principal components of colours."),
    P("random_h", int, 0, "Shift hue by at most this, of 180."),
    P("random_s", int, 0, "Shift saturation by at most this, of 255."),
    P("random_l", int, 0, "Shift lightness by at most this, of 255."),
    P("rotate", int, -1, "Rotate by this angle, in degrees; -1: no rotation."),
    P("rotate_list", Integers, (), "Rotate by one of these angles, at random."),
    P("fill_value", int, 255, "The value of padding and of the corners of a rotated image."),
    P("inter_method", int, 1, "The interpolation: 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos, "
      "9 by the sizes, 10 at random."),
    P("pad", int, 0, "Pad with this many pixels."),
)  # fmt: skip

_MEANS = tuple(
    P(f"mean_{c}", float, 0.0, f"The mean of channel {c}, which is subtracted.") for c in "rgba"
)
_DEVIATIONS = tuple(
    P(f"std_{c}", float, 1.0, f"The standard deviation of channel {c}, a divisor.") for c in "rgba"
)
MEANS = (
    P(
        "mean_img",
        str,
        "",
        "A file with a mean image, which is subtracted; it is created if it does not exist.",
    ),
    *_MEANS,
    *_DEVIATIONS,
    P("scale", float, 1.0, "A factor that is applied after the mean has been subtracted."),
)
NORMALIZATION = (
    P("mirror", bool, False, "Mirror all images."),
    P("rand_mirror", bool, False, "Mirror half of the images, at random."),
    *MEANS,
    P(
        "max_random_contrast",
        float,
        0.0,
        "Change contrast by a factor of at most 1 plus or minus this.",
    ),
    P("max_random_illumination", float, 0.0, "Add a random number of at most this."),
)

_SCALES = tuple[float, ...]
_OF_RECORDS = {p.name: p for p in RECORDS}

DETECTION_RECORDS = (
    *(
        _OF_RECORDS[name]
        for name in (
            "path_imgrec", "data_shape", "batch_size", "path_imglist", "preprocess_threads", "num_parts",
            "part_index", "shuffle", "seed", "seed_aug", "shuffle_chunk_size", "shuffle_chunk_seed",
            "round_batch", "prefetch_buffer", "ctx", "verbose", "data_name",
        )
    ),
    P("label_name", str, "label", "The name of the labels."),
    P("aug_seq", str, "det_aug_default", "Names of augmenters, with commas between."),
    P("dtype", Literal["float32"] | None, None, "The dtype of images: float32."),
    P("label_width", int, -1, "The length of an image's label; -1: any length."),
    P("label_pad_width", int, 0, "The length that labels are padded to; at least that of the longest one."),
    P("label_pad_value", float, -1.0, "The value of this padding."),
)  # fmt: skip
DETECTION = (
    P("resize", int, -1, "Resize the shorter side to this first; -1: no resizing."),
    P("rand_crop_prob", float, 0.0, "The probability of cropping."),
    P("min_crop_scales", _SCALES, (0.0,), "By sampler: the least scale of a part."),
    P("max_crop_scales", _SCALES, (1.0,), "The greatest scale of a part."),
    P("min_crop_aspect_ratios", _SCALES, (1.0,), "The least aspect ratio, width / height."),
    P("max_crop_aspect_ratios", _SCALES, (1.0,), "The greatest aspect ratio."),
    P("min_crop_overlaps", _SCALES, (0.0,), "The least overlap (intersection over union) with an object."),
    P("max_crop_overlaps", _SCALES, (1.0,), "The greatest overlap with an object."),
    P("min_crop_sample_coverages", _SCALES, (0.0,), "The least fraction of the part that an object covers."),
    P("max_crop_sample_coverages", _SCALES, (1.0,), "The greatest such fraction."),
    P("min_crop_object_coverages", _SCALES, (0.0,), "The least fraction of an object that is in the part."),
    P("max_crop_object_coverages", _SCALES, (1.0,), "The greatest such fraction."),
    P("num_crop_sampler", int, 1, "The number of samplers, which are tried in random order."),
    P("crop_emit_mode", Literal["center", "overlap"], "center", "The objects that a part drops: their centre "
      "is outside, or less than `emit_overlap_thresh` of them is inside."),
    P("emit_overlap_thresh", float, 0.3, "See `crop_emit_mode`.", 0),
    P("max_crop_trials", Integers, (25,), "The number of attempts of a sampler."),
    P("rand_pad_prob", float, 0.0, "The probability of padding."),
    P("max_pad_scale", float, 1.0, "The largest factor by which padding enlarges an image."),
    P("max_random_hue", int, 0, "Shift hue by at most this, of 180."),
    P("random_hue_prob", float, 0.0, "The probability of shifting hue."),
    P("max_random_saturation", int, 0, "Shift saturation by at most this, of 255."),
    P("random_saturation_prob", float, 0.0, "The probability of shifting saturation."),
    P("max_random_illumination", int, 0, "Shift lightness by at most this, of 255."),
    P("random_illumination_prob", float, 0.0, "The probability of shifting lightness."),
    P("max_random_contrast", float, 0.0, "Change contrast by a factor of at most 1 plus or minus this."),
    P("random_contrast_prob", float, 0.0, "The probability of changing contrast."),
    P("rand_mirror_prob", float, 0.0, "The probability of mirroring an image."),
    P("fill_value", int, 127, "The value of the padding."),
    P("inter_method", int, 1, "The interpolation; see `ImageRecordIter`."),
    P("resize_mode", Literal["force", "shrink", "fit"], "force", "Resize to the shape of a row, whatever the "
      "ratio; or keep the ratio, and resize only what is larger (shrink), or all (fit); the rest is 0."),
)  # fmt: skip
DETECTION_MEANS = tuple(p._replace(default=0.0) if p.name.startswith("std") else p for p in MEANS)
