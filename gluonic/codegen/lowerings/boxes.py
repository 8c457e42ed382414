"""Boxes."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_box_iou",
    "_contrib_box_nms",
    "_contrib_bipartite_matching",
    "_contrib_box_encode",
    "_contrib_box_decode",
    python="the data determine the boxes: NumPy finds them",
)
