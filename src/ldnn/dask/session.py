"""Session: the tasks of one fit on a cluster, with errors in plain sentences and nothing left running at the end."""

import math
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from itertools import count
from typing import Any
from weakref import WeakSet

import dask
from distributed import Client, Future, KilledWorker, get_client, get_worker, wait
from distributed import TimeoutError as DaskTimeoutError

from .. import __version__

_FIRST_WORKER = 60.0  # seconds to wait for the first worker, and for another one if all have left
_POLL = 5.0  # seconds between looks at the workers


class ClusterError(ConnectionError):
    """The cluster cannot do what is asked of it; the message says why.

    Examples
    --------
    >>> from ldnn.dask import ClusterError, connect
    >>> try:
    ...     connect("tcp://127.0.0.1:1", timeout=0.1)
    ... except ClusterError as error:
    ...     print(error)
    There is no Dask scheduler at tcp://127.0.0.1:1.
    """


def connect(address: str, timeout: float = 10.0) -> Client:
    """A client of the scheduler at an address such as tcp://host:8786.

    Parameters
    ----------
    address : str
        Of the scheduler.
    timeout : float, default=10.0
        Seconds to wait for an answer.

    Returns
    -------
    dask.distributed.Client
        It is not the default client of this process.

    Examples
    --------
    >>> from dask.distributed import LocalCluster
    >>> from ldnn.dask import connect
    >>> with LocalCluster(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
    ...     with connect(cluster.scheduler_address) as client:
    ...         client.submit(sum, [1, 2, 3]).result()
    6
    """
    try:
        return Client(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError, DaskTimeoutError):
        raise ClusterError(f"There is no Dask scheduler at {address}.") from None


def default_client() -> Client:
    """The client that the user has created."""
    try:
        return get_client()
    except ValueError:
        raise ClusterError(
            "There is no Dask client: create one first, client = dask.distributed.Client(...), with the address of a "
            "scheduler or without any for this machine."
        ) from None


class Session:
    """Submits tasks and gathers their results; a context that cancels what is left of them at its end.

    Parameters
    ----------
    client : dask.distributed.Client
        Of the cluster.

    Examples
    --------
    >>> from dask.distributed import Client
    >>> from ldnn.dask import Session
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
    ...     with Session(client) as session:
    ...         session.gather([session.submit("absolute", abs, value) for value in (-1, 2)])
    [1, 2]
    """

    def __init__(self, client: Client):
        self.client = client
        self._futures: WeakSet[Future] = WeakSet()
        self._name = uuid.uuid4().hex
        self._numbers = count()

    def __enter__(self) -> "Session":
        # Parameters travel as literals of tasks: scattered data would be lost with a worker.
        self._setting = dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"})
        self._setting.__enter__()
        check_workers(self.client)
        return self

    def __exit__(self, *exception: object) -> None:
        self._setting.__exit__(*exception)
        for future in list(self._futures):  # the scheduler drops tasks that nobody wants
            future.release()

    def adopt(self, futures: Sequence[Any]) -> None:
        """Cancel these at the end, too."""
        self._futures.update(future for future in futures if isinstance(future, Future))

    def submit(
        self, name: str, function: Callable, *arguments: Any, priority: int = 0, worker: str | None = None
    ) -> Future:
        """Let the cluster call a function; the name is shown on Dask's dashboard.

        worker: the address of the one that should do it, unless it has left.
        """
        key = f"ldnn-{name}-{self._name}-{next(self._numbers)}"
        place = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
        future = self.client.submit(function, *arguments, key=key, priority=priority, **place)
        self._futures.add(future)
        return future

    def literal(self, value: Any) -> Future:
        """A value that tasks use; if it is lost with a worker, the scheduler sends it again."""
        return self.submit("literal", _same, value)

    def gather(self, futures: list[Future]) -> list[Any]:
        """The results, in their order."""
        self._wait(futures)
        try:
            return self.client.gather(futures)
        except KilledWorker as error:
            raise ClusterError(
                f"Workers died {error.allowed_failures + 1} times while they worked on the same task: a partition "
                "needs more memory than a worker has. Use more and smaller partitions, or workers with more memory."
            ) from None
        except KeyError as error:  # of the user's own graph
            raise ValueError(f"A partition has other columns: {error.args[0]}.") from None
        except CancelledError:
            raise ClusterError("The connection to the Dask scheduler was lost, or it has ended.") from None
        except ModuleNotFoundError as error:
            raise ClusterError(
                f"A worker lacks the package {error.name!r}: install ldnn[dask] on all workers."
            ) from None

    def _wait(self, futures: list[Future]) -> None:
        """Wait for all results or the first error, but not for ever if all workers have left, or do nothing."""
        last_running = time.monotonic()
        while True:
            try:
                with self.client.as_current():  # wait() would take the default client, if there is one
                    wait(futures, timeout=_POLL, return_when="ALL_COMPLETED")
                return
            except (TimeoutError, DaskTimeoutError):
                pass
            except CancelledError:
                return
            if any(future.status in ("error", "cancelled", "lost") for future in futures):
                return
            statuses = _statuses(self.client)
            if any(status != "paused" for status in statuses):
                last_running = time.monotonic()
            elif time.monotonic() - last_running > _FIRST_WORKER:
                raise ClusterError(_why_nothing_runs(_address(self.client), statuses))


def check_workers(client: Client) -> None:
    """Refuse a cluster without workers, or with workers that lack this version of the package."""
    try:
        client.wait_for_workers(1, timeout=_FIRST_WORKER)
    except (TimeoutError, DaskTimeoutError):
        raise ClusterError(f"The Dask cluster at {_address(client)} has no workers.") from None
    for address, (version, lacking) in client.run(_version_asker()).items():
        if lacking is not None:
            reason = f"lacks the package {lacking!r}; install ldnn {__version__} with its extra dask there."
            raise ClusterError(f"The worker {address} {reason}")
        if version != __version__:
            raise ClusterError(f"The worker {address} has ldnn {version}, but here is {__version__}: use one version.")


def end_if_unwanted() -> None:
    """Within a task: end it if nobody waits for it any more, after Ctrl-C for example. Dask itself cannot do that."""
    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    if task is None or task.state == "cancelled":
        raise CancelledError


@dataclass(frozen=True)
class WorkerState:
    """A worker of a cluster. limit: bytes that it may use, infinity if it has no limit; used: those that it uses."""

    address: str
    threads: int
    limit: float
    used: float


def states_of_workers(client: Client) -> list[WorkerState]:
    """All workers of a cluster."""
    return [
        WorkerState(
            address, worker["nthreads"], float(worker["memory_limit"] or math.inf), float(worker["metrics"]["memory"])
        )
        for address, worker in sorted(client.scheduler_info(n_workers=-1)["workers"].items())
    ]


def _statuses(client: Client) -> list[str]:
    """Of all workers; Dask lets them pause while their memory is nearly full."""
    return [worker["status"] for worker in client.scheduler_info(n_workers=-1)["workers"].values()]


def _why_nothing_runs(address: str, statuses: list[str]) -> str:
    remedy = "use more and smaller partitions, or workers with more memory."
    if not statuses:
        return f"All workers have left the cluster at {address}. If they ran out of memory, {remedy}"
    return (
        f"All workers of the cluster at {address} have paused for {_FIRST_WORKER:g} seconds: their memory is full, and "
        f"their disk may be full, too. Make room there, {remedy}"
    )


def _address(client: Client) -> str:
    return getattr(client.scheduler, "address", "an unknown address")


def _version_asker() -> Callable[[], tuple[str | None, str | None]]:
    """A function that gives the version of ldnn, and the name of a package that is lacking. It is made here since inner
    functions travel as code: a worker without ldnn would not find one of this module.
    """

    def ask() -> tuple[str | None, str | None]:
        try:
            import ldnn.dask
        except ModuleNotFoundError as error:
            return None, str(error.name).split(".")[0]
        return ldnn.__version__, None

    return ask


def _same(value: Any) -> Any:
    return value
