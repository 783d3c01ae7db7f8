"""Data files inside installed packages, found without importing the package (some take seconds to import)."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def package_file(package: str, relative: str) -> Path:
    """The path of a file or folder in a package; raises FileNotFoundError saying what to install without it."""
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations if spec is not None else None) or ():
        path = Path(folder, relative)
        if path.exists():
            return path
    raise FileNotFoundError(f"{relative} of the package {package} is missing: run `pip install -e '.[sample]'`.")
