"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.data.vision import *
from gluonic.gluon.data.vision import (
    CIFAR10 as CIFAR10,
    CIFAR100 as CIFAR100,
    FashionMNIST as FashionMNIST,
    ImageFolderDataset as ImageFolderDataset,
    ImageListDataset as ImageListDataset,
    ImageRecordDataset as ImageRecordDataset,
    MNIST as MNIST,
)
