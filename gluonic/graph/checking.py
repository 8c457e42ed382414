"""Whether to refuse what MXNet accepts but is rarely intended: ``GLUONIC_CHECK=1``, read at import.

MXNet clips indices and class labels that are out of range, and reshapes labels to the shape of predictions with
as many elements.
"""

import os

CHECKING = os.environ.get("GLUONIC_CHECK", "0") not in ("", "0")
