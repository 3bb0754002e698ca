"""The layers of the sheet Traffic: what renting each and owning the lowest of them costs, and how many it is best to buy."""

from __future__ import annotations

from gpusheet.catalog.planning import HOURS
from gpusheet.decisions.traffic import REACH_LINES, RENT_LINES
from gpusheet.units import Hours, Unit, unit_of
from gpusheet.workbook.grid import fill_block
from gpusheet.workbook.results.traffic_board import (
    BOTTOM,
    CARDS,
    CHOICE,
    CHOSEN,
    FLAG,
    LAYERS,
    MADE,
    MONEY,
    NUMBER,
    OWNED,
    OWNING,
    TEXT,
    Board,
)


def put_layers(board: Board) -> None:
    say = board.parts.say
    heads: list[tuple[str, Unit | None]] = [
        (say("Layer, lowest first", "层（自下而上）"), NUMBER), (say("Up to card", "至第几张卡"), CARDS),
        (say("Cards", "卡数"), CARDS), (say("Hours a day", "每日小时数"), unit_of(Hours)),
    ]  # fmt: skip
    heads += [(line.label(board.parts.lang), MONEY) for line in RENT_LINES]
    heads += [
        (say("The cheaper rent", "较低租金"), MONEY),
        (say("Bought: what it adds to the layers below", "购买：比下层增加的成本"), MONEY),
        (say("Way in the mix", "混合中的方式"), None), (say("Cost in the mix", "混合中的成本"), MONEY),
    ]  # fmt: skip
    board.heads(LAYERS, "Layers of cards", "卡的分层", heads)
    board.column("layer", f"=ROWS(A${BOTTOM - 1}:A{BOTTOM - 1})", NUMBER)
    for row in range(BOTTOM, BOTTOM + len(HOURS)):
        board.look.text(board.sheet.cell(row, 1), color="A6A6A6")
    net, layer, reach = board.all("hour_net"), board.one("layer"), board.one("reach")
    before, hours = f"$B{BOTTOM - 1}", board.one("layer_hours")
    goes_on = f"{board.cells['ready']}*(({layer}=1)+(COUNT({before})=1)>0)*(N({board.cells['peak_cards']})>N({before}))"
    board.column("layer_hours", f'=IF({goes_on},COUNTIF({net},">"&N({before})),"")', unit_of(Hours))
    board.column("reach", f'=IF(COUNT({hours})=1,LARGE({net},{hours}),"")', CARDS)
    board.column("layer_cards", f'=IF(COUNT({reach})=1,{reach}-N({before}),"")', CARDS)
    for line in RENT_LINES:
        board.column(line.name, board.formula(line), line.rule.unit)
    hourly, monthly = (board.one(line.name) for line in RENT_LINES)
    rent, added, count = board.one("rent"), board.one("layer_purchase"), board.cells["bought"]
    board.column("rent", f'=IF(COUNT({hourly},{monthly})=0,"",MIN({hourly},{monthly}))', MONEY)
    owned, less = board.one("reach_owned_monthly_cost"), board.one("reach_owned_monthly_cost", above=1)
    board.column("layer_purchase", f'=IF(COUNT({owned})=1,{owned}-N({less}),"")', MONEY)
    there, buy = f"COUNT({reach},{count})=2", f"({layer}<={count})"
    number = f'1+{buy}+({buy}+({hourly}="")+({hourly}>N({rent})*(1+tiny))>0)'  # the last of the ways is to buy
    board.column("way", f'=IF({there},INDEX({board.cells["ways"]},{number}),"")', TEXT)
    board.column("cost", f'=IF({there},CHOOSE(1+{buy},{rent},{added}),"")', MONEY)


def put_owning(board: Board) -> None:
    """What owning all cards up to each layer and renting those above costs; the total that is the least is taken."""
    parts, say = board.parts, board.parts.say
    ends = (say("Up to layer", "至第几层"), NUMBER), (say("Cards owned", "自有卡数"), CARDS)
    owned = [(line.label(parts.lang), line.rule.unit) for line in REACH_LINES]
    heads: list[tuple[str, Unit | None]] = [*ends, *owned[:MADE]]
    board.heads(OWNING, "Owning the lowest layers: what it takes", "自有下部各层：所需投入", heads)
    heads = [
        *ends, *owned[MADE:], (say("Rent of the layers above", "其上各层租金"), MONEY),
        (say("Owned and rented together", "自有与租用合计"), MONEY), (say("Least", "最低"), FLAG),
    ]  # fmt: skip
    board.heads(CHOICE, "Owning the lowest layers: what a month costs", "自有下部各层：月成本", heads)
    for top in (OWNED, CHOSEN):
        for column, (key, (_, unit)) in enumerate(zip(("layer", "reach"), ends, strict=True), 1):
            fill_block(board.sheet, board.look, top, len(HOURS), column, 1, f"={board.one(key)}", unit)
    for line in REACH_LINES:
        board.column(line.name, board.formula(line), line.rule.unit)
    above, reaches = board.below("rent"), board.below("reach")
    reach, total = board.one("reach"), board.one("reach_total")
    known = f"COUNT({reach})*(COUNT({above})=COUNT({reaches}))"
    board.column("rent_above", f'=IF({known},SUM({above}),"")', MONEY)
    parts_of = [board.one("reach_owned_monthly_cost"), board.one("rent_above")]
    board.column("reach_total", f'=IF(COUNT({",".join(parts_of)})=2,{"+".join(parts_of)},"")', MONEY)
    least = f"MIN({board.all('reach_total')},{board.cells['bill_rented']})*(1+tiny)"
    board.column("least", f'=IF(COUNT({total})=1,1*({total}<={least}),"")', FLAG)


def bought(board: Board) -> str:
    """How many of the lowest layers are bought; none where renting all takes as little."""
    rented, totals, flags = board.cells["bill_rented"], board.all("reach_total"), board.all("least")
    as_little = f"COUNT({rented})*(N({rented})<=MIN({totals})*(1+tiny))"
    return f'IF(COUNT({rented},{totals})=0,"",CHOOSE(1+(SUM({flags})>0)*(1-{as_little}),0,MATCH(1,{flags},0)))'

