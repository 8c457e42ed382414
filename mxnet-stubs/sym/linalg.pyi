"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.symbol.linalg import *
from gluonic.symbol.linalg import (
    det as det,
    extractdiag as extractdiag,
    extracttrian as extracttrian,
    gelqf as gelqf,
    gemm as gemm,
    gemm2 as gemm2,
    inverse as inverse,
    makediag as makediag,
    maketrian as maketrian,
    potrf as potrf,
    potri as potri,
    slogdet as slogdet,
    sumlogdiag as sumlogdiag,
    syevd as syevd,
    syrk as syrk,
    triangle as triangle,
    trmm as trmm,
    trsm as trsm,
)
