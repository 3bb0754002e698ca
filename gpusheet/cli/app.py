"""All commands together, and how a run ends: what a person can mend is one line, never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gpusheet import __version__
from gpusheet.cli import audit, budget, calc, calibrate, check, diff, estimate, lists, prices, recalc, rules, udf, why
from gpusheet.cli.screen import error_line, out, use_utf8
from gpusheet.errors import GpusheetError

INTERRUPTED = 130  # the exit status that shells expect


class Commands(TyperGroup):
    """The commands. `estimate` has an option for every column of a workload, which takes time to load: it is only
    made when it is called."""

    def resolve_command(self, ctx: Any, args: Any) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, estimate.full_command() if name == "estimate" else command, rest


app = typer.Typer(cls=Commands, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich")
app.command()(budget.budget)
app.command()(budget.template)
app.command()(check.check)
app.command()(recalc.recalc)
app.command()(audit.audit)
app.command()(diff.diff)
app.command("estimate")(estimate.listed)
app.command()(calibrate.calibrate)
app.command(context_settings={"ignore_unknown_options": True})(calc.calc)  # -5 is a value
app.command()(rules.rules)
app.command()(why.why)
app.command()(lists.gpus)
app.command()(lists.models)
app.add_typer(prices.app, name="prices")
app.add_typer(udf.app, name="udf")


def _show_version(wanted: bool) -> None:
    if wanted:
        out().print(f"gpusheet {__version__}")
        raise typer.Exit


@app.callback()
def _gpusheet(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """Size and cost GPU capacity for LLM inference.

    Start with: gpusheet budget -o budget.xlsx
    """


def run(arguments: Sequence[str] | None) -> int:
    use_utf8()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        command = typer.main.get_command(app)
        ended = command.main(args=words or ["--help"], prog_name="gpusheet", standalone_mode=False)
        sys.stdout.flush()
    except GpusheetError as error:
        return _failed(*str(error).splitlines())
    except (KeyboardInterrupt, typer.Abort):
        ended = INTERRUPTED
    except BrokenPipeError:
        # whoever read the output has gone, as `head` does; what is left must not raise again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _failed(f"{place}{error.strerror or error}; check the name, the folder and that no program has it open")
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        return _wrong_options(error)
    if ended == INTERRUPTED:
        error_line("interrupted; a file is written whole or not at all")
    return ended if isinstance(ended, int) else 0


def _failed(*lines: str) -> int:
    for line in lines:
        error_line(line)
    return 1


def _wrong_options(error: Any) -> int:
    """What typer says of options, as one line that ends with where to look."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "gpusheet"
    message = " ".join(str(error.format_message()).split())
    error_line(f"{message.rstrip('.')}; see {path} --help")
    return int(error.exit_code)
