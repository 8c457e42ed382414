"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.contrib.text.embedding import *
from gluonic.contrib.text.embedding import (
    CompositeEmbedding as CompositeEmbedding,
    CustomEmbedding as CustomEmbedding,
    FastText as FastText,
    GloVe as GloVe,
    get_pretrained_file_names as get_pretrained_file_names,
    register as register,
)
