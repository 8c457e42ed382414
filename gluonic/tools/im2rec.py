"""``gluonic im2rec``: image lists and record files, like MXNet's ``im2rec.py``.

It is ``python -m gluonic.tools.im2rec``, too, where programs look for MXNet's.
"""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from gluonic.commands.table import COMMANDS
from gluonic.graph.threads import thread_count
from gluonic.tools.command import DONE, FAILED, Answer, perform
from gluonic.tools.image_lists import divide, find_images, shuffle, write_list
from gluonic.tools.packing import write_records


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return perform(COMMANDS["im2rec"], sys.argv[1:] if given is None else given)


def run(options: argparse.Namespace) -> Answer:
    """Make lists or records."""
    options.prefix, options.root = (str(Path(p).absolute()) for p in (options.prefix, options.root))
    logging.basicConfig(format="%(message)s")
    return _make_lists(options) if options.list else _make_records(options)


def _make_lists(options: argparse.Namespace) -> Answer:
    images, labels = find_images(Path(options.root), options.recursive, options.exts)
    lines = [f"{folder} {label}" for folder, label in labels.items()]
    if options.shuffle:
        shuffle(images)
    lists = {}
    for ending, part in divide(images, options.chunks, options.train_ratio, options.test_ratio):
        path = f"{options.prefix}{ending}.lst"
        write_list(path, part)
        lists[path] = len(part)
    lines += [f"{path}: {count} images" for path, count in lists.items()]
    return Answer({"labels": labels, "lists": lists}, lines)


def _make_records(options: argparse.Namespace) -> Answer:
    prefix = Path(options.prefix)
    folder = prefix if prefix.is_dir() else prefix.parent
    found = sorted(str(path) for path in folder.glob("*.lst") if path.is_file())
    lists = [path for path in found if path.startswith(options.prefix)]
    if not lists:
        raise FileNotFoundError(f"there is no list {prefix}*.lst; --list makes one")
    records, lines = {}, []
    for path in lists:
        written, left_out = write_records(path, options)
        record = str(Path(path).with_suffix(".rec"))
        records[record] = {"images": written, "left out": left_out}
        told = f", {left_out} left out" if left_out else ""
        lines.append(f"{record}: {written} images{told}")
    incomplete = any(counts["left out"] for counts in records.values())
    return Answer({"records": records}, lines, FAILED if incomplete else DONE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add MXNet's options."""
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


if __name__ == "__main__":
    sys.exit(main())
