"""Constants of data sets of text."""

EOS_TOKEN = "<eos>"
