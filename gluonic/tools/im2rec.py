"""``python -m gluonic.tools.im2rec``: image lists and record files, like MXNet's ``im2rec.py``.

python -m gluonic.tools.im2rec --list --recursive data/train photos    # data/train.lst; a folder is a label
python -m gluonic.tools.im2rec --resize 256 data/train photos          # data/train.rec, data/train.idx
"""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from gluonic.graph.errors import MXNetError
from gluonic.graph.threads import thread_count
from gluonic.tools.image_lists import divide, find_images, shuffle, write_list
from gluonic.tools.packing import write_records


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _parser().parse_args(given)
    options.prefix, options.root = (str(Path(p).absolute()) for p in (options.prefix, options.root))
    logging.basicConfig(format="%(message)s")
    try:
        return _make_lists(options) if options.list else _make_records(options)
    except (MXNetError, OSError) as error:
        print(f"im2rec: {error}", file=sys.stderr)
        return 1


def _make_lists(options: argparse.Namespace) -> int:
    images, labels = find_images(Path(options.root), options.recursive, options.exts)
    for folder, label in labels.items():
        print(folder, label)
    if options.shuffle:
        shuffle(images)
    for ending, part in divide(images, options.chunks, options.train_ratio, options.test_ratio):
        write_list(f"{options.prefix}{ending}.lst", part)
        print(f"{options.prefix}{ending}.lst: {len(part)} images")
    return 0


def _make_records(options: argparse.Namespace) -> int:
    prefix = Path(options.prefix)
    folder = prefix if prefix.is_dir() else prefix.parent
    found = sorted(str(path) for path in folder.glob("*.lst") if path.is_file())
    lists = [path for path in found if path.startswith(options.prefix)]
    if not lists:
        print(f"im2rec: there is no list {prefix}*.lst; --list makes one", file=sys.stderr)
        return 1
    missing = 0
    for path in lists:
        written, left_out = write_records(path, options)
        missing += left_out
        told = f", {left_out} left out" if left_out else ""
        print(f"{Path(path).with_suffix('.rec')}: {written} images{told}")
    return 1 if missing else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m gluonic.tools.im2rec",
        description="Make lists of the images in a folder, or pack the images of lists into files of records.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument(
        "prefix", help="what the names of lists and records begin with, or their folder"
    )
    parser.add_argument("root", help="the folder with the images")
    lists = parser.add_argument_group("lists").add_argument
    lists("--list", action="store_true", help="make lists, not records")
    lists("--exts", nargs="+", default=[".jpeg", ".jpg", ".png"], help="which files are images")
    lists("--chunks", type=int, default=1, help="how many lists")
    lists("--train-ratio", type=float, default=1.0, help="which share is for training")
    lists("--test-ratio", type=float, default=0, help="which share is for testing")
    lists("--recursive", action="store_true", help="go through folders; each is a label")
    lists("--no-shuffle", dest="shuffle", action="store_false", help="leave images in order")
    records = parser.add_argument_group("records").add_argument
    records("--pass-through", action="store_true", help="pack files as they are")
    records("--resize", type=int, default=0, help="resize the shorter side to this; 0 does not")
    records("--center-crop", action="store_true", help="cut out the square in the middle")
    records(
        "--quality",
        type=int,
        default=95,
        help="of JPEG, 1 to 100; how hard to compress PNG, 1 to 9",
    )
    records("--num-thread", type=int, default=thread_count(), help="how many threads encode")
    records(
        "--color", type=int, default=1, choices=[-1, 0, 1], help="1 colour, 0 grey, -1 as stored"
    )
    records("--encoding", default=".jpg", choices=[".jpg", ".png"], help="how to encode images")
    records("--pack-label", action="store_true", help="pack all labels of an image, not the first")
    return parser


if __name__ == "__main__":
    sys.exit(main())
