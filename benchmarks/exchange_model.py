"""The cost of sums over ranks: a model, fitted to measurements here, and its predictions for many machines.

    mpirun -n 2 python -m benchmarks.exchange_model

One of p ranks sends 2 (p - 1) messages to sum up n bytes, and (p - 1) / p of n twice; it adds up as much once:

    seconds = 2 (p - 1) latency + 2 n (p - 1) / p / bandwidth

where the bandwidth, in bytes a second, is that of sending and adding together.
"""

import argparse
from time import perf_counter

import numpy as np

from gluonic.distributed import world
from gluonic.distributed.reduction import reduce

SIZES = tuple(2**power for power in range(13, 26))  # bytes
NETWORKS = {"10 Gb/s Ethernet": (20e-6, 1.1e9), "100 Gb/s InfiniBand": (3e-6, 11e9)}
"""Latency in seconds and bandwidth in bytes per second, as published by vendors and users; not measured."""


def cost(ranks: int, size: float, latency: float, bandwidth: float) -> float:
    """The time of a sum, in seconds.

    Examples
    --------
    >>> round(cost(2, 8e6, 1e-5, 1e9) * 1e3, 2)
    8.02
    """
    return 2 * (ranks - 1) * latency + 2 * size * (ranks - 1) / ranks / bandwidth


def measured(size: int, rounds: int) -> float:
    """The shortest time of the slowest rank, in seconds."""
    group, values = world().group, np.ones(size // 4, np.float32)
    times = []
    for _ in range(rounds):
        group.barrier()
        begin = perf_counter()
        reduce(group, values, lambda: "values")
        values[:] = 1
        times.append(perf_counter() - begin)
    return float(np.max(group.gather(np.array([times]), lambda: "times"), axis=0).min())


def fitted(ranks: int, found: dict[int, float]) -> tuple[float, float]:
    """The latency and the bandwidth with the least relative errors."""
    rows = [[2 * (ranks - 1) / t, 2 * n * (ranks - 1) / ranks / t] for n, t in found.items()]
    (latency, per_byte), *_ = np.linalg.lstsq(np.array(rows), np.ones(len(rows)), rcond=None)
    return float(latency), 1 / float(per_byte)


def main() -> None:
    """Measure, fit, and plan."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    group = world().group
    found = {size: measured(size, options.rounds) for size in SIZES}
    if group.rank:
        return
    latency, bandwidth = fitted(group.size, found)
    print(
        f"{group.size} ranks: latency {latency * 1e6:.1f} µs, bandwidth {bandwidth / 1e9:.2f} GB/s"
    )
    for size, took in found.items():
        expected = cost(group.size, size, latency, bandwidth)
        print(f"{size:>10} bytes: {took * 1e6:9.1f} µs, by the model {expected * 1e6:9.1f}")
    for name, (delay, speed) in NETWORKS.items():
        for ranks in (8, 32, 128, 1024):
            times = [cost(ranks, size, delay, speed) * 1e3 for size in (1.7e6, 44.8e6, 400e6)]
            print(
                f"{name}, {ranks} machines, 1.7, 44.8 and 400 MB:", *(f"{t:.1f} ms" for t in times)
            )


if __name__ == "__main__":
    main()
