"""SkyPilot's vms.csv: whole machines, spot beside on demand, zones, cards by their memory, what cannot be a price."""

from __future__ import annotations

from pathlib import Path

import pytest
from provider_files import AWS, DAY, SKYPILOT, TODAY, counts, csv_file, info, machine, taken, told

from gpusheet.errors import GpusheetError
from gpusheet.intake.importers import Imported, Options, read_prices

SHARED = Path(__file__).parents[2].parent / "shared" / "data"


def imported(folder: Path, *rows: dict[str, str], options: Options = AWS) -> Imported:
    return read_prices(csv_file(folder / "vms.csv", SKYPILOT, rows), options)


def test_a_machine_has_two_prices(tmp_path: Path) -> None:
    made = imported(tmp_path, machine())
    assert made.kind == "SkyPilot catalog" and counts(made) == (1, 1, 0, 0) and not made.findings
    on_demand, spot = made.prices
    assert dict(on_demand) == {
        "snapshot_date": DAY, "price_list": "aws/us-east-1", "listing": "p5.48xlarge", "gpu": "H100-80G-SXM", "cards": 8.0,
        "price": 55.04, "currency": "USD", "per": "instance", "period": "hour", "pricing_model": "on_demand",
        "tax": "unstated", "available": "unknown", "source": "vms.csv (SkyPilot catalog)", "notes": None,
    }  # fmt: skip
    assert on_demand.price_per_card == 6.88
    assert (spot.pricing_model, spot.price) == ("spot", 20.5)


def test_zones_of_one_price_are_one_offer_and_others_are_kept_apart(tmp_path: Path) -> None:
    made = imported(tmp_path, machine(), machine(AvailabilityZone="us-east-1b", SpotPrice="21"))
    assert counts(made) == (2, 2, 0, 0) and not made.findings
    assert taken(made, "listing", "pricing_model", "price") == [
        ("p5.48xlarge", "on_demand", 55.04), ("p5.48xlarge (us-east-1a)", "spot", 20.5),
        ("p5.48xlarge (us-east-1b)", "spot", 21.0)]  # fmt: skip


def test_several_prices_of_one_offer_are_all_kept_and_told(tmp_path: Path) -> None:
    made = imported(tmp_path, machine(Price="60", SpotPrice=""), machine(SpotPrice=""), machine(SpotPrice=""))
    assert taken(made, "listing", "price") == [("p5.48xlarge", 60.0), ("p5.48xlarge", 55.04)]
    assert counts(made) == (3, 3, 0, 0)
    assert told(made) == [("warning", "several-prices", "I2", "55.04, 60")]
    [one] = made.findings
    assert one.en == ("aws/us-east-1 p5.48xlarge H100-80G-SXM on_demand: one offer has 2 prices, 55.04, 60; a budget takes none "
                      "of them until one is left, or each has a listing of its own")  # fmt: skip


def test_several_prices_in_one_of_the_zones(tmp_path: Path) -> None:
    made = imported(tmp_path, machine(SpotPrice=""), machine(SpotPrice="", Price="56"),
                    machine(SpotPrice="", AvailabilityZone="us-east-1b"))  # fmt: skip
    assert taken(made, "listing", "price") == [
        ("p5.48xlarge (us-east-1a)", 55.04), ("p5.48xlarge (us-east-1a)", 56.0), ("p5.48xlarge (us-east-1b)", 55.04)]
    assert [one.code for one in made.findings] == ["several-prices"]


@pytest.mark.parametrize(("name", "gpu_info", "gpu"), [
    ("A100", "", "A100-40G-SXM"),  # SkyPilot's own use of the name
    ("A100-80GB", "", "A100-80G-SXM"),
    ("A100-80GB", info("A100 PCIe", 80), "A100-80G-PCIe"),  # its GpuInfo knows more; the memory there is in GB
    ("A100-80GB-SXM", "", "A100-80G-SXM"),
    ("V100", info("V100", 16384), "V100-16G-SXM2"),
    ("V100", info("V100", 32768), "V100-32G-SXM2"),
    ("H100", info("H100", 0), "H100-80G-SXM"),  # 0 is not known
    ("H100", info("H100", 95830), "H100-94G-NVL"),
    ("H100-MEGA", "", "H100-80G-SXM"),
    ("B200", info("B200", 196608), "B200-SXM"),  # 192 GB installed, 180 usable
    ("RTX4090", "not a dictionary", "RTX4090"),
    ("RTX4090", info("RTX4090", 49152), "RTX4090-48G"),
])  # fmt: skip
def test_cards_by_name_and_memory(name: str, gpu_info: str, gpu: str, tmp_path: Path) -> None:
    made = imported(tmp_path, machine(InstanceType="some-machine", AcceleratorName=name, GpuInfo=gpu_info, SpotPrice=""))
    assert taken(made, "gpu") == [(gpu,)]


def test_a_machine_that_is_known_decides_the_card(tmp_path: Path) -> None:
    made = imported(tmp_path, machine(InstanceType="Standard_NC24ads_A100_v4", AcceleratorName="A100-80GB",
                                      AcceleratorCount="1", GpuInfo=info("A100-80GB", 81920, 1), SpotPrice=""))  # fmt: skip
    assert taken(made, "gpu") == [("A100-80G-PCIe",)]


def test_what_is_no_price_of_a_card(tmp_path: Path) -> None:
    made = imported(
        tmp_path,
        machine(AcceleratorName="", AcceleratorCount="", InstanceType="m5.large"),
        machine(InstanceType="", AcceleratorName="H100", AcceleratorCount="1"),  # on Google Cloud: without its machine
        machine(AcceleratorName="Gaudi HL-205"),
        machine(AcceleratorName="Gaudi HL-205", Region="eu"),
        machine(AcceleratorCount="0.5"),
        machine(AcceleratorCount=""),
        machine(Price="0", SpotPrice="0.0"),
        machine(Price="", SpotPrice=""),
        machine(Price="USD 55", SpotPrice="10 800,00"),
    )  # fmt: skip
    assert made.prices == () and counts(made) == (9, 0, 8, 1)
    assert told(made) == [
        ("warning", "accelerator-alone", "D3", "H100"),
        ("warning", "unknown-gpu", "D4", "Gaudi HL-205"),
        ("warning", "part-of-a-card", "E6", "0.5"),
        ("error", "no-cards", "E7", ""),
        ("warning", "no-price", "I8", "0"),
        ("warning", "no-price", "J8", "0.0"),
        ("warning", "no-price", "I9", ""),
        ("error", "not-a-number", "I10", "USD 55"),
        ("error", "ambiguous-number", "J10", "10 800,00"),
    ]  # fmt: skip
    unknown = next(one for one in made.findings if one.code == "unknown-gpu")
    assert unknown.line() == ("vms.csv D4: AcceleratorName: found 'Gaudi HL-205', no such card in GPUs; nearest: Gaudi2; "
                              "write a name of GPUs, or add the card there (and 1 more row)")  # fmt: skip
    assert unknown.line("zh").startswith("vms.csv D4：AcceleratorName 为“Gaudi HL-205”，") and "Gaudi2" in unknown.zh


def test_a_wrong_spot_price_does_not_take_the_other(tmp_path: Path) -> None:
    made = imported(tmp_path, machine(SpotPrice="n/a"))
    assert taken(made, "pricing_model", "price") == [("on_demand", 55.04)]
    assert counts(made) == (1, 1, 0, 0) and [one[1:] for one in told(made)] == [("placeholder", "J2", "n/a")]


def test_only_some_regions(tmp_path: Path) -> None:
    rows = [machine(Region=region, SpotPrice="") for region in ("us-east-1", "eu-west-1", "us-west-2")]
    made = imported(tmp_path, *rows, options=Options(provider="aws", date=DAY, today=TODAY, regions=("US-East-1", "us-west-2")))
    assert taken(made, "price_list") == [("aws/us-east-1",), ("aws/us-west-2",)]
    assert counts(made) == (3, 2, 0, 1)
    assert [one.line() for one in made.findings] == ["vms.csv: 1 row passed over: of other regions"]


def test_what_was_said_stands_above_the_file(tmp_path: Path) -> None:
    options = Options(provider="aws", date=DAY, today=TODAY, fixed={"currency": "EUR", "tax": "excluded"}, mapping={"vCPUs": "notes"})
    made = imported(tmp_path, machine(SpotPrice=""), options=options)
    assert taken(made, "currency", "tax", "notes") == [("EUR", "excluded", "192")]
    assert made.columns["currency"] == "--set EUR" and made.columns["notes"] == "vCPUs"


@pytest.mark.parametrize(("options", "line"), [
    (Options(date=DAY, today=TODAY), "vms.csv: the file does not say whose prices these are; give --provider, such as --provider aws"),
    (Options(provider="aws"), "vms.csv: the file has no date; give --date YYYY-MM-DD, the day of the catalog"),
    (Options(provider="aws", date=DAY, today=TODAY, mapping={"vcpu": "notes"}),
     "vms.csv: --map notes, column: 'vcpu' is not known; did you mean vCPUs?"),
])  # fmt: skip
def test_what_only_a_person_can_say(options: Options, line: str, tmp_path: Path) -> None:
    with pytest.raises(GpusheetError) as error:
        imported(tmp_path, machine(), options=options)
    assert str(error.value) == line


@pytest.mark.parametrize(("given", "line"), [
    ({"fixed": {"curency": "USD"}}, "--set: 'curency' is not known; did you mean currency?"),
    ({"fixed": {"currency": "dollars"}}, "--set currency: found 'dollars', allowed three capital letters such as CNY or USD"),
    ({"fixed": {"tax": "included"}, "mapping": {"vCPUs": "tax"}}, "tax: given by --map and by --set; leave one"),
])  # fmt: skip
def test_wrong_options_are_named(given: dict[str, dict[str, str]], line: str) -> None:
    with pytest.raises(GpusheetError) as error:
        Options(**given)  # type: ignore[arg-type]
    assert str(error.value) == line


def test_a_column_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "vms.csv"
    path.write_text("InstanceType,AcceleratorName,AcceleratorCount,Price,Price\nx,L4,1,1,2\n")
    with pytest.raises(GpusheetError, match="the column Price stands 2 times; leave one"):
        read_prices(path, AWS)


@pytest.mark.skipif(not SHARED.is_dir(), reason="catalog files of the workshop are not here")
@pytest.mark.parametrize(("name", "prices", "rows"), [
    ("skypilot_catalog_v8_runpod_rows.csv", 6, (3, 3, 0, 0)), ("skypilot_catalog_v9_nebius_gpu_rows.csv", 17, (11, 10, 0, 1)),
])  # fmt: skip
def test_real_catalog_files(name: str, prices: int, rows: tuple[int, ...]) -> None:
    made = read_prices(SHARED / name, Options(provider="cloud", date=DAY, today=TODAY))
    assert (len(made.prices), counts(made)) == (prices, rows)
    assert not told(made)


def test_what_can_be_read_and_can_hardly_be_right(tmp_path: Path) -> None:
    made = imported(tmp_path, machine(Price="6.88", SpotPrice=""), machine(InstanceType="other", Price="440", SpotPrice=""))
    assert [price.price for price in made.prices] == [6.88, 440.0], "a person decides"
    assert [(one.severity, one.code, one.place.cell) for one in made.findings] == [
        ("warning", "price-changed", "I2"), ("warning", "price-far-off", "I3")]  # fmt: skip
    assert "the whole machine taken for a card" in made.findings[0].en and "times the median" in made.findings[1].en
    stale = imported(tmp_path, machine(SpotPrice=""), options=Options(provider="aws", date=DAY, today=TODAY.replace(year=2028)))
    assert [one.code for one in stale.findings] == ["stale-date"]


def test_a_catalog_saved_as_a_workbook(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book, path = Workbook(), tmp_path / "vms.xlsx"
    book.active.append(SKYPILOT)
    book.active.append([float(value) if value.replace(".", "").isdigit() else value for value in
                        (machine(SpotPrice="").get(name, "") for name in SKYPILOT)])  # fmt: skip
    book.create_sheet("other")
    book.save(path)
    made = read_prices(path, AWS)
    assert taken(made, "listing", "cards", "price") == [("p5.48xlarge", 8.0, 55.04)] and counts(made) == (1, 1, 0, 0)
    assert made.prices[0].source == "vms.xlsx (SkyPilot catalog)"
    with pytest.raises(GpusheetError, match="--sheet: 'prices' is not known; allowed: Sheet, other"):
        read_prices(path, Options(provider="aws", date=DAY, sheet="prices"))
    with pytest.raises(GpusheetError):  # a sheet with nothing on it
        read_prices(path, Options(provider="aws", date=DAY, sheet="other"))


def test_what_a_catalog_says_itself_is_not_mapped(tmp_path: Path) -> None:
    with pytest.raises(GpusheetError) as error:
        imported(tmp_path, machine(), options=Options(provider="aws", date=DAY, mapping={"SpotPrice": "price"}))
    assert str(error.value) == ("vms.csv: --map price=SpotPrice: not for a SkyPilot catalog, whose columns are known; leave it out")


def test_a_value_that_a_price_may_not_have(tmp_path: Path) -> None:
    made = imported(tmp_path, machine(InstanceType="a*b", SpotPrice=""), machine(SpotPrice=""),
                    options=Options(provider="aws", date=DAY, today=TODAY, mapping={"vCPUs": "available"}))  # fmt: skip
    assert made.prices == () and counts(made) == (2, 0, 2, 0)
    assert [(one.code, one.raw) for one in made.findings] == [("not-allowed", "a*b"), ("not-allowed", "192")]
    assert made.findings[1].en == "vCPUs: found '192', allowed one of yes, no, unknown, or blank (available)"
