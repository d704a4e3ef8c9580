"""Shares as people read them."""


def percent(share: float) -> str:
    """With one digit after the point; never 100 % of what is not all, nor 0 % of what is something."""
    shown = 100 * share
    if 0 < shown < 0.1:
        return "under 0.1 %"
    return f"{min(shown, 99.9) if shown < 100 else shown:.1f} %".replace("100.0 %", "100 %")
