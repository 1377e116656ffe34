"""The tutorials run, and what they assert holds."""

from pathlib import Path

import nbclient
import pytest
from myst_nb.core.read import read_myst_markdown_notebook

FOLDER = Path(__file__).parents[1] / "docs/tutorials"
TUTORIALS = sorted(path for path in FOLDER.glob("*.md") if path.stem != "index")


@pytest.mark.workflow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_tutorial_runs(path):
    notebook = read_myst_markdown_notebook(path.read_text(encoding="utf-8"))
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(FOLDER)}}).execute()
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(codes) > 5
    assert all(cell.execution_count for cell in codes)
