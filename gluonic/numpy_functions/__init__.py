"""The functions of `mx.np` and `mx.npx`, each written once over `F`, the operators of arrays or of symbols.

They are bound to operators in `gluonic.ndarray.numpy` and `gluonic.symbol.numpy`, and in the packages there.
"""
