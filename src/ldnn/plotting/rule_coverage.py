"""How many rows the rules of a model hold for."""

from dataclasses import dataclass, field
from typing import Any

from .._shares import percent
from ..base import DisjunctiveNetworkClassifier
from ..rules import Rule, Rules, rules
from ._style import (
    Axes,
    Figure,
    Patch,
    add_legend,
    class_colors,
    fit_texts,
    hide_frame,
    pale,
    short_label,
    single_axes,
)

_SHORT = 20  # characters of names that have one line together


@dataclass(repr=False)
class RuleCoverageDisplay:
    """For each rule of a model: the share of rows that it holds for, and how many of these are of its class.

    Parameters
    ----------
    rules : ldnn.rules.Rules

    Attributes
    ----------
    ax_, figure_ : the Matplotlib objects, after `plot`

    Examples
    --------
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> from ldnn.plotting import RuleCoverageDisplay
    >>> X, y = make_two_moons(300, random_state=0)
    >>> model = LDNNClassifier(3, 2, max_epochs=10, random_state=0).fit(X, y)
    >>> display = RuleCoverageDisplay.from_estimator(model, X, y)
    >>> display.figure_.savefig(getfixture("tmp_path") / "plot.png")
    """

    rules: Rules
    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: DisjunctiveNetworkClassifier,
        X: Any,
        y: Any = None,
        *,
        ax: Axes | None = None,
        **parameters: Any,
    ) -> "RuleCoverageDisplay":
        """Extract the rules of a fitted classifier (parameters: those of `ldnn.rules.rules`), and plot."""
        return cls(rules(estimator, X, y, **parameters)).plot(ax)

    def plot(self, ax: Axes | None = None) -> "RuleCoverageDisplay":
        """Draw a bar for each rule: the rows of its class in full colour, the others pale."""
        count = len(self.rules)
        self.ax_, self.figure_ = single_axes(ax, (7.0, 2.0 + 0.55 * count))
        labels = list(dict.fromkeys(str(rule.label) for rule in self.rules))
        colors = dict(zip(labels, class_colors(len(labels)), strict=True))
        for place, rule in enumerate(self.rules):
            self._draw_bar(place, rule, colors[str(rule.label)])
        self.ax_.set_yticks(range(count), [_rule_label(number, rule) for number, rule in enumerate(self.rules, 1)])
        self.ax_.set(xlabel="rows for which the rule holds, %", ylim=(max(count, 1) - 0.4, -0.6))
        self.ax_.set_xlim(0, 150 * max((rule.coverage for rule in self.rules), default=1.0))  # space for texts
        self.ax_.set_xticks([tick for tick in self.ax_.get_xticks() if tick <= 100])
        self.ax_.set_title(
            f"{counted_rules(count)} with the model on {percent(self.rules.fidelity)} of\n"
            f"{self.rules.n_rows:,} rows that rules were not fitted to; shares are of these",
            fontsize="medium",
        )
        add_legend(self.ax_, *self._legend_entries(labels), is_own=ax is None)
        hide_frame(self.ax_)
        if ax is None:
            fit_texts(self.figure_)
        return self

    def _legend_entries(self, labels: list[str]) -> tuple[list[Any], list[str]]:
        """The colours of the classes, and hatched: rows of another class."""
        handles = [Patch(color=color) for color in class_colors(len(labels))]
        if any(rule.precision is not None for rule in self.rules):
            handles.append(Patch(facecolor="white", edgecolor="#555555", hatch="///"))
            labels = [*labels, "of another class"]
        return handles, labels

    def _draw_bar(self, place: int, rule: Rule, color: str) -> None:
        right = rule.coverage * (1 if rule.precision is None else rule.precision)
        self.ax_.barh(place, 100 * right, color=color)
        self.ax_.barh(place, 100 * (rule.coverage - right), left=100 * right, color=pale(color), edgecolor=color,
                      hatch="///")  # fmt: skip
        self.ax_.annotate(f"decides {rule.share:.0%} of the class", (100 * rule.coverage, place), xytext=(4, 0),
                          textcoords="offset points", va="center", fontsize="small")  # fmt: skip


def counted_rules(count: int) -> str:
    return "1 rule agrees" if count == 1 else f"{count} rules agree"


def _rule_label(number: int, rule: Rule) -> str:
    columns = [short_label(column) for column in rule.columns[:2]]
    between = ",\n" if max(map(len, columns)) > _SHORT else ", "
    more = ", ..." if len(rule.columns) > 2 else ""
    return f"{number}. {short_label(str(rule.label))}\nby {between.join(columns)}{more}"
