"""The notebook runs from top to bottom, as a person runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "quickstart.ipynb"


def outputs(cell: Any, kind: str) -> list[str]:
    return [o["data"][kind] for o in cell.outputs if kind in o.get("data", {})]


def test_notebook_is_committed_without_outputs() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")


# zmq's own: its loop on other platforms; nbclient leaves a socket to the collector.
@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
def test_notebook_runs_and_both_doors_agree(tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    report, picture, difference = code[3], code[6], code[7]
    (shown,) = outputs(report, "text/html")
    assert "of 80 numbers agree" in shown
    assert shown.startswith('<div class="pyside">')
    assert outputs(picture, "image/png")
    assert float(outputs(difference, "text/plain")[0].removeprefix("np.float64(").rstrip(")")) == 0
    assert (tmp_path / "runs" / "notebook" / "preds.json").is_file()
