"""Tables larger than one machine: fit and predict on a Dask cluster. Needs the extra `dask`."""

try:
    from .dask_classifier import DaskLDNNClassifier
    from .session import ClusterError
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f'ldnn.dask needs {error.name}: pip install "ldnn[dask]"', name=error.name) from None

__all__ = ["ClusterError", "DaskLDNNClassifier"]
