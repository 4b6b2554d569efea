"""The frame of every command: lazy verbs, exit statuses, and errors of one line.

A verb is a ``click.Command`` in a module of its own. Only the module of the verb that is called is imported, so that
``--help`` answers at once and ``predict`` does not wait for what only ``train`` needs.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import click

from ..errors import TallyBayesError
from ..layout import printable
from ._streams import take_streams

__all__ = ["LazyGroup", "Verb", "run"]

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


class Verb(NamedTuple):
    """Where a command is defined (``package.module:attribute``), and one line about it."""

    target: str
    help: str


class LazyGroup(click.Group):
    """A group of commands that imports a command's module when that command is called.

    What a command raises on purpose (`TallyBayesError`), and what the machine refuses (`OSError`), becomes one line on
    stderr and exit status 1; so does anything unexpected, whose traceback only ``--debug`` shows.

    Parameters
    ----------
    name : str
        The program's name; an option's environment variable is ``NAME_VERB_OPTION``.
    verbs : mapping of str to Verb
        The commands in the order in which the help lists them.
    **settings
        What ``click.Group`` takes.
    """

    def __init__(self, name: str, *, verbs: Mapping[str, Verb], **settings: Any) -> None:
        super().__init__(
            name,
            context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": name.upper()},
            **settings,
        )
        self.verbs = dict(verbs)
        debug = "Show the log, and where an unexpected error came from."
        self.params.append(click.Option(["--debug"], is_flag=True, show_envvar=True, help=debug))
        click.version_option(package_name="tallybayes", prog_name=name, message="%(prog)s %(version)s")(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.verbs:
            return None
        module, _, attribute = self.verbs[cmd_name].target.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.verbs:
            with formatter.section("Commands"):
                formatter.write_dl([(name, verb.help) for name, verb in self.verbs.items()])

    def invoke(self, ctx: click.Context) -> Any:
        debug = ctx.params["debug"]
        if debug:
            import logging

            logging.basicConfig(format="%(name)s: %(message)s")
            logging.getLogger("tallybayes").setLevel(logging.DEBUG)
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise  # click's own; `run` gives them their status
        except KeyboardInterrupt:
            raise click.Abort from None
        except BrokenPipeError:
            ctx.exit(FAILED)  # the reader has seen enough: nothing to say
        except Exception as error:
            if debug:
                import traceback

                traceback.print_exc()
            _say(_sentence(error))
            ctx.exit(FAILED)


def run(group: click.Group, arguments: Sequence[str] | None = None) -> int:
    """Run a group's command and return the exit status for the process.

    Parameters
    ----------
    group : click.Group
        The program.
    arguments : sequence of str, optional
        The words after the program's name, by default this process's own.

    Returns
    -------
    int
        0 done, 1 failed (one line on stderr), 2 wrong usage, 130 interrupted; or the number that the command returned.
    """
    take_streams()
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            status = group.main(arguments, group.name, standalone_mode=False)
            sys.stdout.flush()
        except click.UsageError as error:
            error.show()
            return USAGE
        except click.ClickException as error:
            _say(error.format_message())
            return FAILED
        except (click.Abort, KeyboardInterrupt):
            _say("interrupted")
            return INTERRUPTED
        except BrokenPipeError:
            return FAILED
        except OSError as error:  # of what is written outside of a command: help, and what was left to write
            _say(_sentence(error))
            return FAILED
    return status if isinstance(status, int) else DONE


def _sentence(error: Exception) -> str:
    """What an error says to the user of a command."""
    if isinstance(error, TallyBayesError):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if isinstance(error, (OSError, UnicodeError, EOFError)) and str(error):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory"
    return f"unexpected {type(error).__name__}: {error} (a fault of tallybayes; `tallybayes --debug` shows where)"


def _say(message: str) -> None:
    """One line on stderr; control characters of file contents must neither break the line nor steer the terminal."""
    click.echo("tallybayes: " + printable(" ".join(message.splitlines())), err=True)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: str | None = None,
) -> None:
    _say(f"warning: {message}")
