"""What iterators over files of images take: MXNet's parameters."""

from typing import Literal

from gluonic.graph.attributes import REQUIRED, Shape
from gluonic.io.parameters import Parameter as P

Integers = tuple[int, ...]

RECORDS = (
    P("path_imgrec", str, REQUIRED, "Files of records, or folders of them, with semicolons between."),
    P("data_shape", Shape, REQUIRED, "The shape of an image: channels (1, 3 or 4), height, width."),
    P("batch_size", int, REQUIRED, "How many images are in a batch.", 1),
    P("path_imgidx", str, "", "The index of the records; with it, all of them are shuffled."),
    P("path_imglist", str, "", "A list of labels that go before those in the records."),
    P("label_width", int, 1, "How many labels an image has.", 1),
    P("aug_seq", str, "aug_default", "Names of augmenters, with commas between."),
    P("preprocess_threads", int, 4, "How many threads decode, as far as there are cores.", 1),
    P("num_parts", int, 1, "Into how many parts the records are divided.", 1),
    P("part_index", int, 0, "Which of these parts to go through.", 0),
    P("shuffle", bool, False, "Whether to shuffle: within chunks of 64 MiB where there is no index."),
    P("seed", int, 0, "What the order is shuffled by."),
    P("seed_aug", int | None, None, "What crops and the like are drawn by, image by image."),
    P("shuffle_chunk_size", int, 0, "Read chunks of so many mebibytes in random order.", 0),
    P("shuffle_chunk_seed", int, 0, "What the order of chunks is shuffled by."),
    P("round_batch", bool, True, "Fill the last batch up with the first images, which the next pass "
      "then leaves out; otherwise the rest of it is 0."),
    P("prefetch_buffer", int, 4, "How many batches are made ahead.", 1),
    P("dtype", Literal["float32", "uint8", "int8"] | None, None, "The dtype of images; float32 by default."),
    P("ctx", Literal["cpu", "gpu"], "gpu", "Has no effect."),
    P("device_id", int, 0, "Has no effect."),
    P("verbose", bool, True, "Has no effect."),
    P("data_name", str, "data", "The name of the images."),
    P("label_name", str, "softmax_label", "The name of the labels."),
)  # fmt: skip

AUGMENTATION = (
    P("resize", int, -1, "Resize the shorter side to this first; -1 does not."),
    P("rand_crop", bool, False, "Cut out a part at random, not the middle."),
    P("random_resized_crop", bool, False, "Cut out a part of random area and ratio, and resize it."),
    P("max_rotate_angle", int, 0, "Rotate by at most so many degrees, at random.", 0),
    P("max_aspect_ratio", float, 0.0, "Change width to height by a factor of at most 1 plus or minus this; "
      "up to this factor if there is `min_aspect_ratio`."),
    P("min_aspect_ratio", float | None, None, "The least factor of width to height."),
    P("max_shear_ratio", float, 0.0, "Shear by at most this, at random."),
    P("max_crop_size", int, -1, "Cut out a square of at most this side, and resize it; -1 does not."),
    P("min_crop_size", int, -1, "The least side of such a square."),
    P("max_random_scale", float, 1.0, "Scale by at most this factor, at random."),
    P("min_random_scale", float, 1.0, "The least such factor."),
    P("max_random_area", float, 1.0, "The greatest share of the image in a part of random area."),
    P("min_random_area", float, 1.0, "The least such share."),
    P("max_img_size", float, 1e10, "The greatest width and height after scaling."),
    P("min_img_size", float, 0.0, "The least width and height after scaling."),
    P("brightness", float, 0.0, "Change brightness by a factor of at most 1 plus or minus this."),
    P("contrast", float, 0.0, "Change contrast by a factor of at most 1 plus or minus this."),
    P("saturation", float, 0.0, "Change saturation by a factor of at most 1 plus or minus this."),
    P("pca_noise", float, 0.0, "The deviation of noise along the principal components of colours."),
    P("random_h", int, 0, "Shift hue by at most this, of 180."),
    P("random_s", int, 0, "Shift saturation by at most this, of 255."),
    P("random_l", int, 0, "Shift lightness by at most this, of 255."),
    P("rotate", int, -1, "Rotate by so many degrees; -1 does not."),
    P("rotate_list", Integers, (), "Rotate by one of these angles, at random."),
    P("fill_value", int, 255, "What padding and the corners of a rotated image are filled with."),
    P("inter_method", int, 1, "How to resize: 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos, "
      "9 as the sizes suggest, 10 at random."),
    P("pad", int, 0, "Put borders of so many pixels around."),
)  # fmt: skip

_MEANS = tuple(
    P(f"mean_{c}", float, 0.0, f"The mean of channel {c}, which is subtracted.") for c in "rgba"
)
_DEVIATIONS = tuple(
    P(f"std_{c}", float, 1.0, f"The deviation of channel {c}, by which is divided.") for c in "rgba"
)
MEANS = (
    P(
        "mean_img",
        str,
        "",
        "A file with a mean image, which is subtracted; if it is not there, it is made.",
    ),
    *_MEANS,
    *_DEVIATIONS,
    P("scale", float, 1.0, "A factor, after the mean was subtracted."),
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
    P("max_random_illumination", float, 0.0, "Add at most this, at random."),
)
