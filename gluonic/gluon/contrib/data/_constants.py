"""What data sets of text share."""

EOS_TOKEN = "<eos>"
