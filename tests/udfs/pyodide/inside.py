"""Runs inside Pyodide: pastes main.py as xlwings Lite would, calls what it offers, and prints the answers as JSON."""

import importlib
import importlib.metadata
import io
import json
import sys
import time
import types
from contextlib import redirect_stdout
from pathlib import Path

from packaging.requirements import Requirement

LAID = Path("/tests")  # where the test laid its files
sys.path.insert(0, str(LAID))
officejs = importlib.import_module("officejs")


def pasted():
    """main.py as a module."""
    sys.modules.update(officejs.modules())
    module = types.ModuleType("main")
    exec(compile((LAID / "main.py").read_text(encoding="utf-8"), "main.py", "exec"), vars(module))
    return module


def shown(name, cells, runtime="1.4"):
    try:
        return {"shown": officejs.call(main, name, cells, runtime)}
    except officejs.XlwingsError as error:
        return {"raised": str(error)}
    except ModuleNotFoundError as error:
        return {"lacks": error.name}


# whole numbers arrive as int, as numbers of JavaScript do: the test writes 4 for 4.0
job = json.loads((LAID / "job.json").read_text(encoding="utf-8"))
began = time.perf_counter()
main = pasted()
loaded = time.perf_counter() - began
heavy = sorted({"numpy", "pandas", "openpyxl", "formualizer", "typer", "rich"} & set(sys.modules))

with redirect_stdout(io.StringIO()):
    began = time.perf_counter()
    results = [shown(name, cells) for name, cells in job["calls"]]
    called = time.perf_counter() - began
    old = [shown(name, cells, "1.3") for name, cells in job["old"]]

needs = [Requirement(one) for one in importlib.metadata.requires("gpusheet")]
answer = {
    "platform": sys.platform,
    "home": sys.modules["gpusheet"].__file__,
    "offered": sorted(officejs.offered(main)),
    "loaded": loaded,
    "heavy": heavy,
    "microseconds": called / len(results) * 1e6,
    "results": results,
    "old": old,
    "needs": sorted(one.name for one in needs if not one.marker or one.marker.evaluate({"extra": ""})),
}
print(json.dumps(answer))
