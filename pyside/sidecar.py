"""The sidecar of a prediction table: what its columns cannot say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyside.errors import PredictionTableError

FORMAT = "pyside-predictions"
FORMAT_VERSION = 1

_REQUIRED = ("classes", "rows", "sha256")
_OPTIONAL = ("positive", "threshold", "run", "versions")
_FITS: dict[str, Callable[[Any], bool]] = {
    "classes": lambda v: isinstance(v, list) and all(isinstance(name, str) for name in v),
    "rows": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "sha256": lambda v: isinstance(v, str),
    "positive": lambda v: isinstance(v, str),
    "threshold": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "run": lambda v: isinstance(v, dict),
    "versions": lambda v: isinstance(v, dict),
}


def sidecar_path(path: Path) -> Path:
    """Where the sidecar of a CSV lies: `preds.json` beside `preds.csv`."""
    return path.with_suffix(".json")


def is_sidecar(path: Path) -> bool:
    """Whether a file is a sidecar, of any version."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.get("format") == FORMAT


def read_sidecar(path: Path, digest: str) -> dict[str, Any]:
    """Read and check a sidecar; an empty one where there is none."""
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise _sidecar_error(path, f"no valid JSON ({error})") from error
    if not isinstance(content, dict):
        raise _sidecar_error(path, "JSON that is no object")
    if content.get("format") != FORMAT:
        raise _sidecar_error(path, f"'format' is {content.get('format')!r}")
    version = content.get("format_version")
    if not isinstance(version, (int, float)) or isinstance(version, bool):
        raise _sidecar_error(path, f"'format_version' is {json.dumps(version)}")
    if version != FORMAT_VERSION:
        raise PredictionTableError(
            "sidecar_version",
            f"The sidecar must be of format version {FORMAT_VERSION}.",
            found=f"version {version} in '{path}'",
            fix="upgrade the package that reads it, or export the table again with this one",
        )
    for name in _REQUIRED + _OPTIONAL:
        value = content.get(name)
        if not (_FITS[name](value) or (value is None and name in _OPTIONAL)):
            raise _sidecar_error(path, f"'{name}' is {json.dumps(value)}")
    if content["sha256"] != digest:
        raise PredictionTableError(
            "sidecar_digest",
            "The table must have the SHA-256 that its sidecar states.",
            found=f"{digest}, and {content['sha256']} in '{path}'",
            fix="export the table again: the file was cut off or changed. To use it as it is, "
            "remove the sidecar and state what it said",
        )
    return content


def _sidecar_error(path: Path, found: str) -> PredictionTableError:
    return PredictionTableError(
        "sidecar_invalid",
        "A sidecar must be a JSON object with 'format', 'format_version', 'classes', 'rows' and "
        "'sha256'.",
        found=f"{found} in '{path}'",
        fix="export the table again, or remove the sidecar",
    )
