"""Tables larger than one machine: fit and predict on a Dask cluster. Needs the extra `dask`."""

try:
    from .dask_classifier import DaskLDNNClassifier
    from .parquet_parts import parquet_parts
    from .session import ClusterError, Session, connect
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f'ldnn.dask needs {error.name}: pip install "ldnn[dask]"', name=error.name) from None

__all__ = ["ClusterError", "DaskLDNNClassifier", "Session", "connect", "parquet_parts"]
