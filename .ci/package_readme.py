"""The README and the addresses of a package, which hatchling asks for when it builds one.

Relative links and pictures work in a checkout only. The source does not hold the address of its repository: on GitHub,
the workflow that publishes has it in its environment. A package that is built elsewhere names no address, so its README
has the texts of the links, and no pictures.
"""

import os
import re
from pathlib import Path

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # the tests need the functions only
    MetadataHookInterface = object

RELATIVE_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^]]*)\]\((?!https?:|#|mailto:)(?P<path>[^)\s]+)\)")


def repository(environment) -> str | None:
    """The address of the repository on GitHub, in one of its workflows."""
    if "GITHUB_REPOSITORY" not in environment:
        return None
    return f"{environment.get('GITHUB_SERVER_URL', 'https://github.com')}/{environment['GITHUB_REPOSITORY']}"


def package_readme(text: str, address: str | None, version: str) -> str:
    """The README with absolute links to the files of this version, or without relative links if no address is known."""

    def absolute(link: re.Match) -> str:
        if address is None:
            return "" if link["picture"] else link["text"]
        kind = "raw" if link["picture"] else "blob"
        return f"{link['picture']}[{link['text']}]({address}/{kind}/v{version}/{link['path']})"

    return RELATIVE_LINK.sub(absolute, text)


def addresses(address: str | None, version: str) -> dict[str, str]:
    """`[project.urls]`; docs.yml publishes the site on GitHub's pages."""
    if address is None:
        return {}
    owner, name = address.split("/")[-2:]
    return {
        "Source": address,
        "Documentation": f"https://{owner}.github.io/{name}/",
        "Changelog": f"{address}/blob/v{version}/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }


class PackageReadme(MetadataHookInterface):
    """What `dynamic` in pyproject.toml leaves open: `readme` and `urls`."""

    def update(self, metadata: dict) -> None:
        root = Path(self.root)
        version = re.search(r'__version__ = "(.+)"', (root / "src" / "ldnn" / "__init__.py").read_text())[1]
        address = repository(os.environ)
        text = package_readme((root / "README.md").read_text(encoding="utf-8"), address, version)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = addresses(address, version)
