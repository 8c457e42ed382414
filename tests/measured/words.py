"""``contrib.text``: vocabularies, embeddings, the files that are known."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections import Counter
from typing import Any

COUNTED = Counter(["a", "b", "b", "c", "c", "c", "some_word$", "B"])
FILES = {
    "letters": ["a 0.1 0.2 0.3", "b 0.4 0.5 0.6", "B 0.7 0.8 0.9"],
    "unknown": ["a 1 2", "<unk> 3 4", "c 5 6", "a 7 8", "<unk> 9 9"],
    "header": ["3 2", "c 1 2", "a 3 4"],
    "tabs": ["a\t1\t2", "b c\t3\t4"],
}


def vocabulary(mx: Any, *args: Any, **settings: Any) -> Any:
    """Return a vocabulary of `COUNTED`."""
    return mx.contrib.text.vocab.Vocabulary(COUNTED, *args, **settings)


def described(found: Any) -> Any:
    """Return the properties of a vocabulary or an embedding."""
    tokens = ["a", "B", "nothing", found.unknown_token]
    properties = [
        len(found), found.idx_to_token, found.token_to_idx, found.unknown_token, found.reserved_tokens,
        found.to_indices(tokens), found.to_indices("c"), found.to_tokens([0]), found.to_tokens(0),
    ]  # fmt: skip
    if hasattr(found, "idx_to_vec"):
        properties += [
            found.vec_len, found.idx_to_vec, found.get_vecs_by_tokens(tokens),
            found.get_vecs_by_tokens(["A", "C"], True), found.get_vecs_by_tokens("a"),
        ]  # fmt: skip
    return properties


def embedding(mx: Any, name: str, delimiter: str = " ", **settings: Any) -> Any:
    """Return an embedding of a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "vectors.txt")
        with open(path, "w", encoding="utf8") as file:
            file.write("\n".join(FILES[name]) + "\n")
        return mx.contrib.text.embedding.CustomEmbedding(path, delimiter, **settings)


def composite(mx: Any, *names: str, **settings: Any) -> Any:
    """Return embeddings of files side by side."""
    parts = [embedding(mx, name) for name in names]
    return mx.contrib.text.embedding.CompositeEmbedding(
        vocabulary(mx, **settings), parts if len(parts) > 1 else parts[0]
    )


def updated(mx: Any) -> Any:
    """Set vectors."""
    found = embedding(mx, "letters")
    found.update_token_vectors(["b", "<unk>"], mx.nd.array([[1, 2, 3], [4, 5, 6]]))
    found.update_token_vectors("a", mx.nd.array([7, 8, 9]))
    found.update_token_vectors(["B"], mx.nd.array([[7, 8, 9]]))
    return found.idx_to_vec


def known_files(mx: Any) -> Any:
    """Return what is known of published files."""
    module = mx.contrib.text.embedding
    tables = [
        table
        for kind in (module.GloVe, module.FastText)
        for table in (kind.pretrained_file_name_sha1, kind.pretrained_archive_name_sha1)
    ]
    text = json.dumps(tables, sort_keys=True)
    names = module.get_pretrained_file_names()
    return [
        {key: len(value) for key, value in names.items()},
        hashlib.sha1(text.encode()).hexdigest(),
    ]


CASES: dict[str, Any] = {
    "all": lambda mx: described(vocabulary(mx)),
    "frequent": lambda mx: described(vocabulary(mx, 2)),
    "often": lambda mx: described(vocabulary(mx, min_freq=2)),
    "reserved": lambda mx: described(vocabulary(mx, 2, 1, "?", ["b", "<pad>"])),
    "unknown counted": lambda mx: described(vocabulary(mx, None, 1, "b", ["a"])),
    "empty": lambda mx: mx.contrib.text.vocab.Vocabulary().idx_to_token,
    "letters": lambda mx: described(embedding(mx, "letters")),
    "ones": lambda mx: described(embedding(mx, "letters", init_unknown_vec=mx.nd.ones)),
    "unknown": lambda mx: described(embedding(mx, "unknown")),
    "other unknown": lambda mx: described(embedding(mx, "unknown", unknown_token="c")),
    "header": lambda mx: described(embedding(mx, "header")),
    "tabs": lambda mx: described(embedding(mx, "tabs", "\t")),
    "of a vocabulary": lambda mx: described(embedding(mx, "letters", vocabulary=vocabulary(mx))),
    "composite": lambda mx: described(composite(mx, "letters", "unknown")),
    "composite of one": lambda mx: described(composite(mx, "unknown", reserved_tokens=["<pad>"])),
    "updated": updated,
    "known files": known_files,
}


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {name: lambda run=run: run(mx) for name, run in CASES.items()}
