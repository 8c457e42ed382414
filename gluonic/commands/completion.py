"""``gluonic completion bash``: scripts with which shells complete commands and options."""

import argparse
from collections.abc import Iterator, Mapping

from gluonic.commands.table import COMMANDS
from gluonic.tools.command import Answer, command_parser


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the shell."""
    parser.add_argument("shell", choices=_SCRIPTS, help="the shell that is to complete")


def run(options: argparse.Namespace) -> Answer:
    """Answer with a script."""
    words = {name: _options(command_parser(command)) for name, command in COMMANDS.items()}
    lines = [*_SCRIPTS[options.shell](words)]
    return Answer({"script": lines}, lines)


def _options(parser: argparse.ArgumentParser) -> list[str]:
    return sorted({word for action in parser._actions for word in action.option_strings})


def _bash(words: Mapping[str, list[str]]) -> Iterator[str]:
    yield "_gluonic() {"
    yield "  local options= word=${COMP_WORDS[COMP_CWORD]}"
    yield "  case ${COMP_WORDS[1]} in"
    for name, options in words.items():
        yield f'    {name}) options="{" ".join(options)}" ;;'
    yield "  esac"
    yield f'  [ "$COMP_CWORD" = 1 ] && options="{" ".join(words)}"'
    yield '  COMPREPLY=($(compgen -W "$options" -- "$word"))'
    yield "}"
    yield "complete -o default -F _gluonic gluonic"


def _zsh(words: Mapping[str, list[str]]) -> Iterator[str]:
    yield "autoload -U +X bashcompinit && bashcompinit"
    yield from _bash(words)


def _fish(words: Mapping[str, list[str]]) -> Iterator[str]:
    for name, options in words.items():
        summary = COMMANDS[name].summary.replace("'", "\\'")
        yield f"complete -c gluonic -n __fish_use_subcommand -a {name} -d '{summary}'"
        for option in options:
            kind = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            yield f"complete -c gluonic -n '__fish_seen_subcommand_from {name}' {kind}"


_SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
