"""Whether to refuse what MXNet lets pass and is seldom meant: ``GLUONIC_CHECK=1``, read at import.

MXNet takes the nearest row where an index lies beyond a table, the nearest class where a label does, and gives
labels the shape of predictions if only they have as many elements.
"""

import os

CHECKING = os.environ.get("GLUONIC_CHECK", "0") not in ("", "0")
