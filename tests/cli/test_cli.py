"""How the command line starts and ends."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from commands import refused, run

import gpusheet

COMMANDS = ("budget", "template", "estimate", "calc", "rules", "why", "gpus", "models", "prices")


def shell(*words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    names = {**os.environ, "TERM": "xterm-256color", **environment}
    return subprocess.run([sys.executable, "-m", "gpusheet", *words], capture_output=True, env=names, check=False)


def test_version() -> None:
    assert run("--version").out == f"gpusheet {gpusheet.__version__}\n"


@pytest.mark.parametrize("words", [[], ["--help"]])
def test_help_lists_every_command(words: list[str]) -> None:
    ended = run(*words)
    assert ended.status == 0
    assert all(f" {command} " in ended.out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    ended = run(command, "--help")
    assert ended.status == 0
    assert f"Usage: gpusheet {command}" in ended.out


def loaded_by(code: str) -> set[str]:
    names = ("pydantic", "numpy", "pandas", "openpyxl", "formualizer", "typer", "rich")
    script = f"import sys\n{code}\nprint('loaded', *[name for name in {names!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    return set(done.stdout.decode().splitlines()[-1].split()[1:])


def test_typer_and_rich_wait_for_the_run() -> None:
    assert loaded_by("import gpusheet.cli") == set()


def test_help_loads_nothing_heavy() -> None:
    assert loaded_by("from gpusheet.cli import main; main(['--help'])") <= {"typer", "rich"}


def test_one_figure_loads_no_arrays() -> None:
    heavy = {"numpy", "pandas", "openpyxl", "formualizer"}
    assert not loaded_by("from gpusheet.cli import main; main(['calc', 'peak_qps', 'requests_per_day=5'])") & heavy


def test_wrong_options_are_one_line_and_status_2() -> None:
    refused(run("budget", "-o", "x.xlsx", "--mnths", "3"),
            "No such option: --mnths (Possible options: --amounts, --months); see gpusheet budget --help", status=2)
    refused(run("budget"), "Missing option '--output' / '-o'; see gpusheet budget --help", status=2)
    refused(run("gpus", "--json", "--csv"),
            "Invalid value: found --json and --csv, allowed one of them; see gpusheet gpus --help", status=2)


def test_an_unknown_command_is_named() -> None:
    ended = run("budgte")
    assert ended.status == 2 and "budgte" in ended.errors[0] and "see gpusheet --help" in ended.errors[0]


def test_unknown_exceptions_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    from gpusheet.registry import Rule

    def fail(*_: object, **__: object) -> float:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(Rule, "__call__", fail)
    with pytest.raises(RuntimeError, match="a fault of ours"):
        run("calc", "card_tier", "3")


def test_interruption_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from gpusheet.registry import Rule

    def interrupt(*_: object, **__: object) -> float:
        raise KeyboardInterrupt

    monkeypatch.setattr(Rule, "__call__", interrupt)
    refused(run("calc", "card_tier", "3"), "interrupted; a file is written whole or not at all", status=130)


def test_output_is_plain_where_no_terminal_shows_it() -> None:
    for words in (["rules"], ["gpus"], ["why", "peak_qps", "requests_per_day=5"], ["calc", "nothing"]):
        done = shell(*words)
        assert b"\x1b" not in done.stdout + done.stderr


def test_tables_are_not_cut_in_a_pipe() -> None:
    done = shell("rules", COLUMNS="20")
    from gpusheet.cli.rules import formula
    from gpusheet.registry import all_rules

    text = done.stdout.decode()
    assert all(formula(rule) in text for rule in all_rules().values())


def test_pipes_are_utf8_whatever_the_code_page() -> None:
    done = shell("rules", "card_tier", "--lang", "zh", PYTHONIOENCODING="gbk", PYTHONUTF8="0")
    assert "档位卡数" in done.stdout.decode("utf-8")


def test_a_closed_pipe_is_no_fault() -> None:
    script = f"{sys.executable} -m gpusheet prices --json | head -1"
    done = subprocess.run(script, shell=True, capture_output=True, check=False)
    assert done.stdout == b"[\n"
    assert done.stderr == b""
