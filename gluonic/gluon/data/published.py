"""The files of data sets that Apache MXNet has published: SHA-1 digests by folder and name."""

PUBLISHED: dict[str, dict[str, str]] = {
    "mnist": {
        "train-images-idx3-ubyte.gz": "6c95f4b05d2bf285e1bfb0e7960c31bd3b3f8a7d",
        "train-labels-idx1-ubyte.gz": "2a80914081dc54586dbdf242f9805a6b8d2a15fc",
        "t10k-images-idx3-ubyte.gz": "c3a25af1f52dad7f726cce8cacb138654b760d48",
        "t10k-labels-idx1-ubyte.gz": "763e7fa3757d93b0cdec073cef058b2004252c17",
    },
    "fashion-mnist": {
        "train-images-idx3-ubyte.gz": "0cf37b0d40ed5169c6b3aba31069a9770ac9043d",
        "train-labels-idx1-ubyte.gz": "236021d52f1e40852b06a4c3008d8de8aef1e40b",
        "t10k-images-idx3-ubyte.gz": "626ed6a7c06dd17c0eec72fa3be1740f146a2863",
        "t10k-labels-idx1-ubyte.gz": "17f9ab60e7257a1620f4ad76bbbaf857c3920701",
    },
    "cifar10": {"cifar-10-binary.tar.gz": "fab780a1e191a7eda0f345501ccd62d20f7ed891"},
    "cifar100": {"cifar-100-binary.tar.gz": "a0bb982c76b83111308126cc779a992fa506b90b"},
    "wikitext-2": {"wikitext-2-v1.zip": "3c914d17d80b1459be871a5039ac23e752a53cbe"},
    "wikitext-103": {"wikitext-103-v1.zip": "0aec09a7537b58d4bb65362fee27650eeaba625a"},
}
