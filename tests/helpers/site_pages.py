"""The pages that people read: README, the documentation, and what lies beside them."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"])


def page_name(path: Path) -> str:
    return path.name
