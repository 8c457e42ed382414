"""Compression of the parts of a page that are rarely viewed; the browser inflates them on demand."""

import base64
import json
import zlib
from typing import Any


def packed(value: Any) -> str:
    """Write a value as JSON, deflated, in base 64."""
    return base64.b64encode(zlib.compress(json.dumps(value).encode(), 6)).decode()
