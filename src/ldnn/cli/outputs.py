"""Where results are written, and in which format: checked before any work is done."""

from dataclasses import dataclass
from pathlib import Path

from .._io.atomic import output_path
from .messages import UserError, nearest

PLOTS_WITHOUT_ROWS = ("learning", "search")
PLOTS = ("boundary", "start", "conjunctions", *PLOTS_WITHOUT_ROWS, "rules")
_PREDICTIONS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Output:
    """Where predictions are written. path: "-" for standard output; format: "csv", "parquet" or "jsonl"."""

    path: str
    format: str

    @classmethod
    def at(cls, path: str, as_json: bool) -> "Output":
        """The output with the format that its name determines; refused if nothing can be written there.

        as_json: whether standard output is JSON lines instead of CSV.
        """
        if path == "-":
            return cls(path, "jsonl" if as_json else "csv")
        file = output_path("the predictions", path)
        if file.exists() and not file.is_file():
            return cls(path, "csv")  # a pipe or a device
        if file.suffix.lower() not in _PREDICTIONS:
            raise UserError(f"{path} ends in none of {', '.join(_PREDICTIONS)}; the name determines the format.")
        return cls(path, _PREDICTIONS[file.suffix.lower()])


def check_plot(kind: str, model: str, table: str | None, output: str) -> None:
    """Refuse a plot that there is not, that cannot be written, or that lacks its rows."""
    if kind not in PLOTS:
        raise UserError(f"There is no plot {kind!r}; {nearest(kind, PLOTS)}")
    if Path(output).suffix.lower() not in _PICTURES:
        raise UserError(f"{output} ends in none of {', '.join(_PICTURES)}; the name determines the format.")
    if table is None and kind not in PLOTS_WITHOUT_ROWS:
        raise UserError(f"This plot needs rows: ldnn plot {kind} {model} TABLE")
    output_path("the plot", output)
