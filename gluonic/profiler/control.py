"""Starting and stopping the profiler, and writing its results."""

import atexit
import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_type_hints

from gluonic.graph.attributes import parse, wording
from gluonic.graph.errors import AttributeValueError, MXNetError, describe, nearest
from gluonic.graph.events import EVENTS
from gluonic.graph.files import write_atomically
from gluonic.profiler.report import chrome_trace, report, statistics

_SORTS = ("total", "avg", "min", "max", "count")


@dataclass(frozen=True)
class _Settings:
    """What `set_config` sets."""

    profile_all: bool = False
    profile_symbolic: bool = True
    profile_imperative: bool = True
    profile_memory: bool = True
    profile_api: bool = True
    filename: str = "profile.json"
    continuous_dump: bool = True
    dump_period: float = 1.0
    aggregate_stats: bool = False
    profile_process: Literal["worker", "server"] = "worker"


class _Profiler:
    """What the profiler is doing.

    Attributes
    ----------
    settings : the settings of `set_config`
    has_run : whether there is anything to write
    reset_at : number of events dropped from the statistics
    """

    def __init__(self) -> None:
        self.settings = _Settings()
        self.has_run = self.running = self.paused = False
        self.reset_at = 0

    def set(self, *, running: bool | None = None, paused: bool | None = None) -> None:
        """Start or stop, pause or resume."""
        self.running = self.running if running is None else running
        self.paused = self.paused if paused is None else paused
        self.has_run = self.has_run or self.running
        active, settings = self.running and not self.paused, self.settings
        EVENTS.active = active
        EVENTS.imperative = active and (settings.profile_all or settings.profile_imperative)
        EVENTS.symbolic = active and (settings.profile_all or settings.profile_symbolic)

    def forget(self) -> None:
        """Begin anew."""
        EVENTS.found = []
        self.has_run, self.reset_at = self.running, 0


_PROFILER = _Profiler()


def set_config(**kwargs: Any) -> None:
    """Choose what is profiled, and where it is written.

    Parameters
    ----------
    filename : of the trace, ``profile.json`` by default
    profile_all : everything
    profile_symbolic : compiled graphs, step by step, and compiling
    profile_imperative : eager operators
    aggregate_stats : whether `dumps` returns statistics
    profile_memory, profile_api, continuous_dump, dump_period, profile_process
        accepted; the file is written by `dump`, and whenever the program ends while the profiler runs

    Raises
    ------
    AttributeValueError
        for an unknown argument or a value of the wrong kind
    """
    kinds = get_type_hints(_Settings)
    found = {}
    for name, value in kwargs.items():
        if name not in kinds:
            names = [field.name for field in fields(_Settings)]
            raise AttributeValueError(
                describe(
                    f"Cannot find argument {name!r}{nearest(name, names)}",
                    where="profiler.set_config",
                    facts=[f"it has {', '.join(names)}"],
                )
            )
        try:
            found[name] = parse(kinds[name], value)
        except (ValueError, TypeError):
            raise AttributeValueError(
                describe(
                    f"{name} must be {wording(kinds[name])}, not {value!r}",
                    where="profiler.set_config",
                )
            ) from None
    _PROFILER.settings = replace(_PROFILER.settings, **found)
    _PROFILER.set()


def set_state(state: str = "stop", profile_process: str = "worker") -> None:
    """Start (``"run"``, which also ends a pause) or stop (``"stop"``) the profiler.

    Parameters
    ----------
    state : ``"run"`` or ``"stop"``
    profile_process : ``"worker"`` or ``"server"``; both are this process
    """
    _one_of("state", state, ("run", "stop"), "profiler.set_state")
    _check_process(profile_process)
    running = state == "run"
    _PROFILER.set(running=running, paused=False if running else None)


def pause(profile_process: str = "worker") -> None:
    """Record nothing until `resume`.

    Parameters
    ----------
    profile_process : ``"worker"`` or ``"server"``; both are this process
    """
    _check_process(profile_process)
    _PROFILER.set(paused=True)


def resume(profile_process: str = "worker") -> None:
    """Resume after `pause`.

    Parameters
    ----------
    profile_process : ``"worker"`` or ``"server"``; both are this process
    """
    _check_process(profile_process)
    _PROFILER.set(paused=False)


def dump(finished: bool = True, profile_process: str = "worker") -> None:
    """Write the recorded events to the file.

    Parameters
    ----------
    finished : whether to stop, and to discard the events when the profiler runs again
    profile_process : ``"worker"`` or ``"server"``; both are this process

    Raises
    ------
    MXNetError
        if the profiler has not run
    """
    _check_process(profile_process)
    if not _PROFILER.has_run:
        raise MXNetError(
            describe(
                "the profiler hasn't been run",
                where="profiler.dump",
                hint='profiler.set_state("run") before what is to be profiled',
            )
        )
    trace = json.dumps(chrome_trace(EVENTS.found), separators=(",", ":"))
    write_atomically(_PROFILER.settings.filename, trace.encode())
    if finished:
        _PROFILER.set(running=False)
        _PROFILER.forget()


def dumps(
    reset: bool = False, format: str = "table", sort_by: str = "total", ascending: bool = False
) -> str:
    """Return statistics: count and durations for each name; empty without `aggregate_stats`.

    Parameters
    ----------
    reset : whether to count from zero afterwards
    format : ``"table"`` or ``"json"``
    sort_by : ``"total"``, ``"avg"``, ``"min"``, ``"max"`` or ``"count"``
    ascending : whether the smallest comes first
    """
    _one_of("format", format, ("table", "json"), "profiler.dumps")
    _one_of("sort_by", sort_by, _SORTS, "profiler.dumps")
    if not _PROFILER.settings.aggregate_stats:
        return ""
    found = statistics(
        EVENTS.found[_PROFILER.reset_at :], sort_by=sort_by.capitalize(), ascending=ascending
    )
    if reset:
        _PROFILER.reset_at = len(EVENTS.found)
    if format == "table":
        return report(found)
    whole = {"Time": found, "Memory": {}, "Unit": {"Time": "ms", "Memory": "kB"}}
    return json.dumps(whole, indent=4)


@contextmanager
def profile(filename: str = "profile.json", **config: Any) -> Iterator[None]:
    """Profile the ``with`` block and write the file; `config` is for `set_config`.

    Parameters
    ----------
    filename : the path of the file
    **config : for `set_config`
    """
    set_config(filename=filename, **config)
    set_state("run")
    try:
        yield
    finally:
        dump()


def start_if_asked() -> None:
    """Profile from now to the program's end, if the environment requests it."""
    filename = os.environ.get("GLUONIC_PROFILE", "")
    if not filename and os.environ.get("MXNET_PROFILER_AUTOSTART", "0") in ("", "0"):
        return
    set_config(profile_all=True, aggregate_stats=True, filename=filename or "profile.json")
    set_state("run")


@atexit.register
def _dump_at_exit() -> None:
    if _PROFILER.running:
        dump()


def _one_of(name: str, value: str, allowed: tuple[str, ...], where: str) -> None:
    if value not in allowed:
        listed = ", ".join(map(repr, allowed))
        raise AttributeValueError(
            describe(f"{name} must be one of {listed}, not {value!r}", where=where)
        )


def _check_process(profile_process: str) -> None:
    _one_of("profile_process", profile_process, ("worker", "server"), "profiler")


def profiler_set_config(mode: str = "symbolic", filename: str = "profile.json") -> None:
    """Choose what is profiled; deprecated, use `set_config`.

    Parameters
    ----------
    mode : ``"symbolic"``, ``"imperative"``, ``"api"``, ``"memory"`` or ``"all"``
    filename : the path of the file
    """
    warnings.warn(
        "profiler_set_config is deprecated; use profiler.set_config", DeprecationWarning, 2
    )
    modes = ("symbolic", "imperative", "api", "memory", "all")
    _one_of("mode", mode, modes, "profiler.profiler_set_config")
    set_config(**{f"profile_{mode}": True}, filename=filename)


def profiler_set_state(state: str = "stop") -> None:
    """Start or stop; deprecated, use `set_state`.

    Parameters
    ----------
    state : ``"run"`` or ``"stop"``
    """
    warnings.warn("profiler_set_state is deprecated; use profiler.set_state", DeprecationWarning, 2)
    set_state(state)


def dump_profile() -> None:
    """Write the file; deprecated, use `dump`."""
    warnings.warn("dump_profile is deprecated; use profiler.dump", DeprecationWarning, 2)
    dump()


def set_kvstore_handle(handle: Any) -> None:
    """Do nothing: there are no servers to profile."""
