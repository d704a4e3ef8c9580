"""Reproduce the paper's experiments.

python -m reproduction                  do the runs that are missing; can be stopped and started again at any time
python -m reproduction --shortened      the same, with short schedules for the networks of images
python -m reproduction --jobs 4         the same, with four runs at a time
python -m reproduction --backend dask --scheduler tcp://host:8786 --jobs -1
                                        the same on a Dask cluster whose workers were started in this folder
python -m reproduction report           write the page with the tables and figures of the results
"""

import argparse
import sys
from pathlib import Path

from experiments.folder_lock import locked

from .recipes import ALL, RECIPES, SHORTENED
from .runner import RESULTS, Filter, Store, Sweep, cluster


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    store = Store(options.results)
    if options.command == "report":
        from .report import write

        print(write([recipe() for recipe in ALL], store, options.output, options.markdown))
        return 0
    named = ALL if options.experiments else SHORTENED if options.shortened else RECIPES
    experiments = [recipe() for recipe in named]
    wanted = Filter(tuple(options.experiments), tuple(options.data), tuple(options.classifiers), options.repeats)
    try:
        with locked(store.folder), cluster(options.backend, options.scheduler):
            failures = Sweep(experiments, wanted, store, options.jobs).run()
    except KeyboardInterrupt:
        print(f"Stopped; the runs that were done are stored in {store.folder}. Start again to go on.", file=sys.stderr)
        return 130
    if failures:
        print(f"{len(failures)} runs failed; the next start tries them again.", file=sys.stderr)
    return 1 if failures else 0


def parser() -> argparse.ArgumentParser:
    experiments = [recipe() for recipe in ALL]
    names = [experiment.name for experiment in experiments]
    data = list(dict.fromkeys(task.data for experiment in experiments for task in experiment.tasks))
    classifiers = list(dict.fromkeys(task.classifier for experiment in experiments for task in experiment.tasks))
    parser = argparse.ArgumentParser(
        prog="python -m reproduction", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", nargs="?", choices=("run", "report"), default="run")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the records")
    running = parser.add_argument_group("run")
    running.add_argument("--experiments", nargs="+", default=(), choices=names, metavar="NAME", help=", ".join(names))
    running.add_argument("--data", nargs="+", default=(), choices=data, metavar="NAME", help=", ".join(data))
    running.add_argument("--classifiers", nargs="+", default=(), choices=classifiers, metavar="NAME")
    running.add_argument(
        "--shortened", action="store_true", help="train networks for images with short schedules, for a few cores"
    )
    running.add_argument(
        "--repeats", type=int, help="at most this many repeats of each run; by default, as the recipes say"
    )
    running.add_argument("--jobs", type=int, default=1, help="parallel runs; -1: one per core or worker")
    running.add_argument("--backend", choices=("local", "dask"), default="local")
    running.add_argument("--scheduler", help="address of the Dask cluster's scheduler, such as tcp://host:8786")
    reporting = parser.add_argument_group("report")
    reporting.add_argument("--output", type=Path, default=Path("reproduction-report.html"), help="HTML file to write")
    reporting.add_argument("--markdown", type=Path, help="also write the tables to this Markdown file")
    return parser


if __name__ == "__main__":
    sys.exit(main())
