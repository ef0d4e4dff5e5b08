"""JupyterLab and Chromium for the tests: a server of its own, a notebook, and its kernel."""

from __future__ import annotations

import ast
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from jupyter_client.blocking.client import BlockingKernelClient
from playwright.sync_api import Locator, Page, expect

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 120.0
LATE = "[anywidget] Failed to initialize model"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]


def until(ask: Callable[[], Any], wanted: Any) -> None:
    """Ask until the answer is the wanted one."""
    end = time.monotonic() + PATIENCE
    answer = ask()
    while answer != wanted:
        assert time.monotonic() < end, f"{answer!r} is not {wanted!r}"
        time.sleep(0.03)
        answer = ask()


class Lab:
    """A JupyterLab that knows nothing of the user's settings and leaves nothing behind."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "notebooks"
        self.runtime = folder / "runtime"
        places = {
            name: folder / name.lower()
            for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTERLAB_SETTINGS_DIR")
        }
        places |= {"IPYTHONDIR": folder / "ipython", "HOME": folder / "home"}
        for place in (self.root, *places.values()):
            place.mkdir()
        # Nobody is asked about news, and cells that are out of sight stay in the page.
        for plugin, chosen in (
            ("apputils-extension/notification", {"fetchNews": "false", "checkForUpdates": False}),
            ("notebook-extension/tracker", {"windowingMode": "none"}),
        ):
            file = places["JUPYTERLAB_SETTINGS_DIR"] / f"@jupyterlab/{plugin}.jupyterlab-settings"
            file.parent.mkdir(parents=True)
            file.write_text(json.dumps(chosen), encoding="utf-8")
        self.token = secrets.token_hex(16)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = {
            "ServerApp.ip": "127.0.0.1",
            "ServerApp.port": self.port,
            "ServerApp.port_retries": 0,
            "ServerApp.open_browser": False,
            "ServerApp.allow_root": True,
            "ServerApp.root_dir": self.root,
            "IdentityProvider.token": self.token,
            "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        }
        self.log = (folder / "lab.log").open("w", encoding="utf-8")
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab"),
                *(f"--{name}={value}" for name, value in settings.items()),
            ],
            env={
                **os.environ,
                **{name: str(place) for name, place in places.items()},
                "JUPYTER_RUNTIME_DIR": str(self.runtime),
            },
            stdout=self.log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        until(self.answers, True)

    def answers(self) -> bool:
        assert self.process.poll() is None, Path(self.log.name).read_text(encoding="utf-8")
        try:
            self.api("status")
        except OSError:
            return False
        return True

    def api(self, path: str, method: str = "GET") -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/{path}",
            headers={"Authorization": f"token {self.token}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
            body = answer.read()
        return json.loads(body) if body else None

    def url(self, name: str, place: str = "lab/tree") -> str:
        return f"http://127.0.0.1:{self.port}/{place}/{name}?token={self.token}&reset"

    def close(self) -> None:
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(PATIENCE)
        self.log.close()


class Notebook:
    """A notebook that has been run in the browser, with a line of our own to its kernel.

    Its place is JupyterLab, or `"notebooks"`: Jupyter Notebook, which the same server has.
    """

    def __init__(
        self, lab: Lab, page: Page, name: str, cells: list[Any], place: str = "lab/tree"
    ) -> None:
        self.lab, self.page, self.file = lab, page, lab.root / name
        notebook = nbformat.v4.new_notebook(
            cells=cells,
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )
        nbformat.write(notebook, self.file)
        page.goto(lab.url(self.file.name, place))
        # Before the kernel is idle, running would be lost.
        if place == "lab/tree":
            self.idle = page.locator("#jp-main-statusbar", has_text="| Idle")
        else:
            # There is no status bar, and this looks idle before there is a kernel.
            self.idle = page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']")
            until(lambda: self.kernel("connections", 0) > 0, True)
            until(lambda: self.kernel("execution_state", ""), "idle")
        expect(self.idle).to_be_attached(timeout=300_000)
        if place == "lab/tree":
            # The side bar takes room from the boards.
            page.keyboard.press("Control+b")
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        file = lab.runtime / f"kernel-{self.kernel('id', '')}.json"
        self.client = BlockingKernelClient(connection_file=str(file))
        self.client.load_connection_file()
        self.client.start_channels()
        # Not `wait_for_ready`: to that a kernel that is busy has died.
        self.client.kernel_info(reply=True, timeout=300)
        code = [at for at, cell in enumerate(cells) if cell.cell_type == "code"]
        last = page.locator(".jp-Notebook .jp-Cell").nth(code[-1])
        expect(last.locator(".jp-OutputArea-output").first).to_be_attached(timeout=300_000)
        # A click must not meet a page that is still being laid out.
        until(self.settled, True)

    def kernel(self, fact: str, otherwise: Any) -> Any:
        """What the server knows of its kernel, once there is one."""
        known = [one for one in self.lab.api("sessions") if one["path"] == self.file.name]
        return known[0]["kernel"][fact] if known and known[0]["kernel"] else otherwise

    def settled(self) -> bool:
        """Whether nothing in it moves for half a second, and its kernel is idle."""
        look = "[...document.querySelectorAll('.oware')].map((one) => one.offsetTop).join()"
        before = self.page.evaluate(look)
        self.page.wait_for_timeout(500)
        return self.idle.count() == 1 and bool(before) and bool(before == self.page.evaluate(look))

    def save(self) -> None:
        """Save it, and wait until its file is written."""
        before = self.file.stat().st_mtime_ns
        self.page.get_by_role("menuitem", name="File", exact=True).click()
        self.page.get_by_role("menuitem", name=re.compile("^Save Notebook(?! As)")).click()
        until(lambda: self.file.stat().st_mtime_ns > before, True)

    def close(self) -> None:
        """Leave it, and end its kernel."""
        self.client.stop_channels()
        self.page.goto("about:blank")
        for session in self.lab.api("sessions"):
            self.lab.api(f"sessions/{session['id']}", "DELETE")


class Cell:
    """A cell of the notebook, where `board` is the one that the cell has made."""

    def __init__(self, notebook: Notebook, index: int) -> None:
        self.notebook, self.page, self.index = notebook, notebook.page, index

    @property
    def place(self) -> Locator:
        return self.page.locator(".jp-Notebook .jp-Cell").nth(self.index)

    def enter(self) -> None:
        """Make it the cell that is active, so that no click later on makes the page scroll."""
        self.place.scroll_into_view_if_needed()
        self.place.locator(".jp-InputPrompt").click()
        expect(self.place).to_have_class(re.compile("jp-mod-active"))
        self.page.wait_for_timeout(200)

    @property
    def board(self) -> Locator:
        return self.place.locator(".oware")

    def ask(self, expression: str) -> Any:
        """What a Python expression is worth in the kernel."""
        asked = {"it": named(expression, self.index)}
        reply = self.notebook.client.execute("", user_expressions=asked, reply=True)
        answer = reply["content"]["user_expressions"]["it"]
        assert answer["status"] == "ok", answer
        return ast.literal_eval(answer["data"]["text/plain"])

    def run(self, statement: str) -> None:
        code = named(statement, self.index)
        reply = self.notebook.client.execute(code, reply=True)["content"]
        assert reply["status"] == "ok", reply

    def python(self, expression: str, wanted: Any) -> None:
        """An expression gets to be worth this much in the kernel."""
        until(lambda: self.ask(expression), wanted)

    def moves(self, wanted: list[int]) -> None:
        self.python("board.game.moves", wanted)


def named(code: str, index: int) -> str:
    """Code for a cell, whose board has a name of its own."""
    return re.sub(r"\bboard\b", f"board_{index}", code)
