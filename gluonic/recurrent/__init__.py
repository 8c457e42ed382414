"""Shared code of the recurrent cells of `mx.rnn`, `gluon.rnn` and `gluon.contrib.rnn`."""
