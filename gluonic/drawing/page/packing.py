"""Parts of a page that are seldom looked at: deflated, for the browser to inflate when they are."""

import base64
import json
import zlib
from typing import Any


def packed(value: Any) -> str:
    """Write a value as JSON, deflated, in base 64."""
    return base64.b64encode(zlib.compress(json.dumps(value).encode(), 6)).decode()
