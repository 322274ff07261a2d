"""Run the demo notebooks and save them with their outputs: the references that `make nbval` compares with.

Widget state is left out, as JupyterLab leaves it out: it would repeat the whole front end in every notebook.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"


def refresh(path: Path) -> None:
    """Run one notebook in its folder and write it back."""
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(
        notebook, timeout=120, resources=resources, allow_errors=True, store_widget_state=False
    )
    client.execute()
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                output["traceback"] = [f"{output['ename']}: {output['evalue']}"]
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(map(str, FOLDER.glob("*.ipynb"))):
        refresh(Path(name))
