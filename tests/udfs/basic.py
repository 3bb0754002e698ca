"""LibreOffice's Basic as a second reader of our VBA: it compiles the module and runs it, with Excel and Python made up.

It is not VBA: it shows that the module is sound, not that Excel takes it. It cannot put an argument that was left out
into an array, so every call here has all its arguments.
"""

from __future__ import annotations

import html
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from libreoffice import needed

_TYPES = '<!DOCTYPE {0} PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "{1}.dtd">'
_MODULE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n' + _TYPES.format("script:module", "module") + "\n"
    '<script:module xmlns:script="http://openoffice.org/2000/script" script:name="{name}" script:language="StarBasic">'
    "{source}</script:module>"
)
_LIBRARY = (
    '<?xml version="1.0" encoding="UTF-8"?>\n' + _TYPES.format("library:library", "library") + "\n"
    '<library:library xmlns:library="http://openoffice.org/2000/library" library:name="Standard" '
    'library:readonly="false" library:passwordprotected="false">{elements}</library:library>'
)
_ELEMENT = '<library:element library:name="{name}"/>'


def run(modules: Mapping[str, str], main: str, out: Path, folder: Path, seconds: int = 120) -> str:
    """Runs the macro `main` of these modules, which writes to the file `out`; what it wrote, empty if it could not run.

    A module that does not compile is told in a window that nobody sees, until the seconds are over.
    """
    soffice = needed("soffice")
    profile = [f"-env:UserInstallation={folder.as_uri()}", "--headless", "--norestore"]
    library = folder / "user" / "basic" / "Standard"
    if not library.exists():  # its first start fills the profile, and would overwrite what is there
        subprocess.run([soffice, *profile, "--terminate_after_init"], capture_output=True, timeout=120, check=True)
    library.mkdir(parents=True, exist_ok=True)
    for name, source in modules.items():
        text = _MODULE.format(name=name, source=html.escape(f"Option VBASupport 1\n{source}"))
        (library / f"{name}.xba").write_text(text, encoding="utf-8")
    elements = "".join(_ELEMENT.format(name=name) for name in modules)
    (library / "script.xlb").write_text(_LIBRARY.format(elements=elements), encoding="utf-8")
    out.unlink(missing_ok=True)
    command = [soffice, *profile, f"macro:///Standard.{main}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
    return out.read_text(encoding="utf-8") if out.exists() else ""
