"""``mx.contrib.amp``: not there. Libraries import it to ask whether it has been switched on."""

_amp_initialized = False
