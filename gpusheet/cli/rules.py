"""`gpusheet rules`: what there is to calculate, and one rule in full."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from gpusheet.cli.screen import Lang, out, table
from gpusheet.errors import as_typed
from gpusheet.expr import render
from gpusheet.registry import REQUIRED, Rule, all_rules, find_rule

_HEADS = {
    Lang.en: ("Rule", "What", "Unit", "Formula"),
    Lang.zh: ("规则", "含义", "单位", "公式"),
}
_WORDS = {
    Lang.en: ("unit", "formula", "Excel", "source", "most", "Argument", "Unit", "Allowed", "Otherwise", "Example"),
    Lang.zh: ("单位", "公式", "Excel", "来源", "上限", "参数", "单位", "允许值", "缺省", "示例"),
}


def rules(
    name: Annotated[str | None, typer.Argument(help="One rule, in full.", metavar="NAME")] = None,
    lang: Annotated[Lang, typer.Option(help="Language of labels.")] = Lang.en,
) -> None:
    """List all rules by subject, or show one in full."""
    if name is not None:
        _show(find_rule(name), lang)
        return
    by_subject: dict[str, list[Rule]] = {}
    for rule in all_rules().values():
        by_subject.setdefault(rule.subject, []).append(rule)
    for subject, members in by_subject.items():
        rows = [(rule.name, rule.label(lang), rule.unit.label(lang), formula(rule)) for rule in members]
        table(_HEADS[lang], rows, title=subject)
        out().print()


def formula(rule: Rule) -> str:
    """The rule's formula, in the names of its arguments.

    >>> formula(find_rule("average_qps"))
    'requests_per_day/(busy_hours*seconds_per_hour)'
    """
    return render(rule.plain_expression, str)


def _show(rule: Rule, lang: Lang) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from gpusheet.wiring import column_of_parameter

    unit, spelled, excel, source, most, *heads, example = _WORDS[lang]
    console = out()
    console.print(Text.assemble((rule.name, "bold"), f"  {rule.label(lang)}"))
    meaning, _, examples = rule.doc.partition(">>>")
    console.print()
    console.print(meaning.strip())
    console.print()
    facts = {
        unit: rule.unit.label(lang), spelled: formula(rule),
        excel: f"={rule.name.upper()}({', '.join(p.name for p in rule.parameters)})", source: rule.source,
    }  # fmt: skip
    if rule.most is not None:
        facts[most] = rule.unit.show(rule.most, lang)
    for word, text in facts.items():
        console.print(Text.assemble((f"{word}: ", "bold"), text))
    console.print()
    rows = [
        (p.name, p.unit.label(lang), column_of_parameter(p).allowed(lang), _otherwise(p.name, p.default, p.wired_to))
        for p in rule.parameters
    ]
    table(heads, rows)
    if examples:
        console.print()
        console.print(Text(f"{example}:", "bold"))
        console.print(Padding(Text(f">>>{examples}".rstrip()), (0, 0, 0, 2), expand=False))


def _otherwise(name: str, default: Any, wired_to: str | None) -> str:
    """What stands for an argument that is not given: the plain function's default, and what a calculation passes."""
    parts = [] if default is REQUIRED else [as_typed(default)]
    if wired_to is not None and wired_to != name:
        parts.append(wired_to)
    return "; ".join(parts)
