"""The limits of every stored value: what its type does not say.

Types are the annotations of the stored classes; this table adds ranges, choices and shapes. A name among the axes
stands for one size throughout a file: every array that has it must agree. A field that is not listed here may have any
value of its type: a finite float, an integer from 0 to 2**31, any text.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from .._table.number_formats import SIGN_PLACES
from .stored_types import SearchTrial


@dataclass(frozen=True)
class Limit:
    """Limits of a value, and of all numbers and texts in it.

    low, high: of numbers; None leaves floats finite and integers from 0 to 2**31. may_be_nan: whether floats may be NaN
    or infinite, too. choices: of texts. axes: the shape of an array, or the length of a list; numbers, or names that
    mean the same size everywhere. size_of: the axis whose size an integer is.
    """

    low: float | None = None
    high: float | None = None
    may_be_nan: bool = False
    choices: tuple[str, ...] | None = None
    axes: tuple[str | int, ...] | None = None
    size_of: str | None = None

    @cached_property
    def inside(self) -> "Limit":
        """The same for what a list or a dictionary holds."""
        return replace(self, axes=None) if self.axes else self


def _one_of(*choices: str) -> Limit:
    return Limit(choices=choices)


def _or_auto(limit: Limit) -> Limit:
    return replace(limit, choices=("auto",))


_SHARE = Limit(0, 1)
_POSITIVE_INTEGER = Limit(1, 2**31)
_LOSS = _one_of("squared", "log")
_NORMALIZE = _one_of("standard", "common", "whiten")
_HEAD = _one_of("ldnn", "fully_connected", "linear")
_ACTIVATION = _one_of("relu", "logistic", "gelu")
_WEIGHTS = ("networks", "weights", "places")
_LARGEST_WEIGHT = 1e12  # training ends at 1e6; mapping weights back to columns may enlarge them

LIMITS: dict[str, Limit] = {
    # The model, and the columns of its table
    "TableModelParts.n_features_in_": Limit(1, 2**31, size_of="features"),
    "TableModelParts.feature_names_in_": Limit(axes=("features",)),
    "Columns.categories": Limit(axes=("columns",)),
    "Columns.dates": Limit(axes=("features",)),
    "SparseColumns.kept": Limit(0, 2**31, axes=("columns",)),
    "SparseColumns.n_columns": Limit(1, 2**31, size_of="features"),
    "DateColumn.parts": _one_of("date", "month", "weekday", "hour"),
    "Columns.names": Limit(axes=("features",)),
    "Source.ranges": Limit(may_be_nan=True),
    "StoredReading.kind": _one_of("number", "truth", "text", "date", "time"),
    "StoredReading.decimal": _one_of(".", ","),
    "StoredReading.thousands": _one_of("", ",", ".", " ", "'"),
    "StoredReading.order": _one_of("ymd", "dmy", "mdy"),
    "StoredReading.separator": _one_of("", "-", "/", "."),
    "StoredReading.sign_place": _one_of(*SIGN_PLACES),
    "RulesData.fidelity": _SHARE,
    "RulesData.accuracy": _SHARE,
    "RulesData.model_accuracy": _SHARE,
    "StoredRule.coverage": _SHARE,
    "StoredRule.precision": _SHARE,
    "StoredRule.agreement": _SHARE,
    "StoredRule.share": _SHARE,
    # Rules
    "RuleModelParts.n_features_in_": Limit(1, 2**31, size_of="features"),
    "RuleModelParts.feature_names_in_": Limit(axes=("features",)),
    "RuleModel.classes": Limit(axes=("classes",)),
    "RangeCondition.low": Limit(may_be_nan=True),
    "RangeCondition.high": Limit(may_be_nan=True),
    "SumCondition.low": Limit(may_be_nan=True),
    "SumCondition.high": Limit(may_be_nan=True),
    "RuleModel.widths": Limit(0),
    "RuleModel.scales": Limit(0),
    "RuleProbabilities.frequencies": Limit(0, 1, axes=("groups", "classes")),
    "RuleProbabilities.weights": Limit(0, 1e3, axes=("weights of conditions",)),
    "RuleProbabilities.offsets": Limit(-1e3, 1e3, axes=("offsets",)),
    "Schema.units": _one_of("number", "category", "date", "hour", "flag"),
    "FrontierPoint.accuracy": Limit(may_be_nan=True),
    "FrontierPoint.standard_error": Limit(may_be_nan=True),
    # The state
    "StoredState.classes": Limit(axes=("classes",)),
    "StoredState.split_seed": Limit(0, 2**62),
    "StoredState.initial_parameters": Limit(-_LARGEST_WEIGHT, _LARGEST_WEIGHT, axes=_WEIGHTS),
    "StoredState.centroids": Limit(axes=("networks",)),
    "StoredState.inverse_temperature": Limit(1e-12, 1e18),
    "StoredState.history": Limit(may_be_nan=True),
    "StoredState.importances": Limit(0, 1, axes=("features",)),
    "Choice.inverse_temperature": Limit(1e-12, 1e18),
    "ValidationScores.n_splits": _POSITIVE_INTEGER,
    "ValidationScores.total": Limit(0),
    "ValidationScores.support": Limit(0, axes=("classes",)),
    "ValidationScores.predicted": Limit(0, axes=("classes",)),
    "ValidationScores.hits": Limit(0, axes=("classes",)),
    "ValidationScores.roc_auc": _SHARE,
    "StoredNetwork.parameters": Limit(-_LARGEST_WEIGHT, _LARGEST_WEIGHT, axes=_WEIGHTS),
    "StoredNetwork.velocity": Limit(-1e30, 1e30, axes=_WEIGHTS),
    "StoredNetwork.sizes": Limit(1, 2**31, axes=("networks", 2)),
    "StoredNetwork.rate_factors": Limit(0, 1e30, axes=("networks",)),
    # The encoder
    "StoredEncoder.numbers": Limit(0, 2**31, axes=("numbers",)),
    "StoredEncoder.kinds": Limit(0, 2, axes=("bases",)),
    "StoredEncoder.columns": Limit(0, 2**31, axes=("bases",)),
    "StoredEncoder.n_knots": Limit(1, 2**31, axes=("bases",)),
    "StoredEncoder.knots": Limit(may_be_nan=True, axes=("knots",)),
    "StoredEncoder.directions": Limit(-1, 1, axes=("columns",)),
    "Normalizer.center": Limit(axes=("numbers",)),
    "Normalizer.scale": Limit(0, axes=("numbers",)),
    "Normalizer.rotation": Limit(-1e9, 1e9, axes=("numbers", "numbers")),
    "LongTail.center": Limit(-1e9, 1e9),
    "LongTail.scale": Limit(0, 1e9),
    # The plan
    "Plan.n_estimators": _POSITIVE_INTEGER,
    "Plan.relative_rate": Limit(0),
    "Plan.linear_rate": Limit(0),
    "KnotPlan.placement": _one_of("quantile", "tree", "mixed"),
    "EncodingPlan.normalize": _NORMALIZE,
    "EncodingPlan.n_selected": _POSITIVE_INTEGER,
    "EncodingPlan.n_components": Limit(0, 2**31),
    "EncodingPlan.importance_power": Limit(0, 10),
    "StartPlan.method": _one_of("kmeans", "farthest", "random", "rules", "given", "auto"),
    "StartPlan.N": _POSITIVE_INTEGER,
    "StartPlan.M": _POSITIVE_INTEGER,
    "StartPlan.n_init": _POSITIVE_INTEGER,
    "TrainingPlan.loss": _LOSS,
    "TrainingPlan.label_smoothing": _SHARE,
    "TrainingPlan.learning_rate": Limit(0, 1e30),
    "TrainingPlan.learning_rate_schedule": _one_of("constant", "linear"),
    "TrainingPlan.momentum": _SHARE,
    "TrainingPlan.max_epochs": _POSITIVE_INTEGER,
    "TrainingPlan.revisit_every": _POSITIVE_INTEGER,
    "TrainingPlan.scoring": _one_of("loss", "accuracy"),
    "TrainingPlan.n_jobs": Limit(-1024, 1024),
    "SearchTrial.round": _POSITIVE_INTEGER,
    "SearchTrial.label_smoothing": _SHARE,
    "SearchTrial.revisit_every": _POSITIVE_INTEGER,
    "SearchTrial.validation_error": Limit(may_be_nan=True),
    "SearchTrial.validation_loss": Limit(may_be_nan=True),
    # Random generators
    "Pcg64State.bit_generator": _one_of("PCG64"),
    "Pcg64State.has_uint32": _SHARE,
    "Pcg64State.uinteger": Limit(0, 2**32 - 1),
    "Pcg64Numbers.state": Limit(0, 2**128 - 1),
    "Pcg64Numbers.inc": Limit(0, 2**128 - 1),
    "Mt19937State.bit_generator": _one_of("MT19937"),
    "Mt19937State.has_gauss": _SHARE,
    "Mt19937Numbers.key": Limit(0, 2**32 - 1, axes=(624,)),
    "Mt19937Numbers.pos": Limit(0, 624),
    # Parameters, beside what scikit-learn's constraints say
    "LDNNClassifier.n_jobs": Limit(-1024, 1024),
    "ModularNetworkClassifier.n_jobs": Limit(-1024, 1024),
    "RuleClassifier.n_jobs": Limit(-1024, 1024),
    "ConvLDNNClassifier.head": _HEAD,
    "ConvLDNNClassifier.n_estimators": _POSITIVE_INTEGER,
    "ConvLDNNClassifier.effort": Limit(0, 1e30),
    "ConvLDNNClassifier.max_epochs": _or_auto(_POSITIVE_INTEGER),
    "ConvLDNNClassifier.batch_size": _or_auto(_POSITIVE_INTEGER),
    "ConvLDNNClassifier.learning_rate": _or_auto(Limit(0, 1e30)),
    "ConvLDNNClassifier.loss": _one_of("log", "squared", "softmax"),
    "ConvLDNNClassifier.label_smoothing": _or_auto(_SHARE),
    "ConvLDNNClassifier.weight_decay": _or_auto(Limit(0, 1e30)),
    "ConvLDNNClassifier.image_size": Limit(1, 2**12),
    "ConvLDNNClassifier.flip": _or_auto(Limit()),
    "ConvLDNNClassifier.shift": _or_auto(Limit(0, 2**12)),
    "ConvLDNNClassifier.crop": Limit(1, 2**12),
    "ConvLDNNClassifier.max_rotation": Limit(0, 180),
    "ConvLDNNClassifier.max_scaling": _SHARE,
    "ConvLDNNClassifier.device": _one_of("auto", "cpu", "cuda", "mps"),
    "ConvLDNNClassifier.precision": _one_of("auto", "32-true", "bf16-mixed", "16-mixed"),
    # Models of images
    "ImageModelParts.classes_": Limit(axes=("classes",)),
    "ImageModelParts.history_": Limit(-(2.0**63), 2.0**63, may_be_nan=True),
    "StoredPreparation.mean": Limit(-1e6, 1e6, axes=("channels", "height", "width")),
    "StoredPreparation.crop": Limit(1, 2**12),
    "StoredPreparation.max_rotation": Limit(0, 180),
    "StoredPreparation.max_scaling": _SHARE,
    "StoredPreparation.shift": Limit(0, 2**12),
    "StoredConvNetwork.image_shape": Limit(1, 2**12),
    "StoredConvNetwork.n_classes": Limit(1, 2**20),
    "StoredConvNetwork.head": _HEAD,
    "StoredConvNetwork.normalize": _one_of("batch", "layer"),
    "StoredConvNetwork.weights": Limit(-1e15, 1e15),
    "Configuration.n_conjunctions": Limit(1, 2**16),
    "Configuration.n_discriminants": Limit(1, 2**16),
    "Convolution.maps": Limit(1, 2**16),
    "Convolution.kernel": Limit(1, 2**8),
    "Convolution.padding": Limit(0, 2**8),
    "Convolution.activation": _ACTIVATION,
    "Local.maps": Limit(1, 2**16),
    "Local.kernel": Limit(1, 2**8),
    "Local.padding": Limit(0, 2**8),
    "Local.activation": _ACTIVATION,
    "MaxPool.size": Limit(1, 2**12),
    "MaxPool.stride": Limit(1, 2**12),
    "Whitening.kernel": Limit(1, 2**8),
    "Whitening.stride": Limit(1, 2**12),
    "Whitening.activation": _ACTIVATION,
    "Block.maps": Limit(1, 2**16),
    "Block.n_convolutions": Limit(1, 2**10),
    "Block.pool": Limit(1, 2**12),
    "Block.activation": _ACTIVATION,
}

# More exact than the annotation in the code
TYPES: dict[str, Any] = {"Choice.history": list[SearchTrial]}


@lru_cache
def limit_of(owner: type, name: str) -> Limit:
    """The limit of a field of a class, or of the class that the field is inherited from."""
    return next((LIMITS[key] for base in owner.__mro__ if (key := f"{base.__name__}.{name}") in LIMITS), Limit())
