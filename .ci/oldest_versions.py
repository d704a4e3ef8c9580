"""Print the oldest versions that pyproject.toml allows, as constraints for pip.

`python .ci/oldest_versions.py data plot`: of the package itself and of these extras.
"""

import re
import sys
import tomllib
from pathlib import Path


def oldest_versions(project: dict, extras: list[str]) -> list[str]:
    """name==version for each dependency `name>=version` of the package and of these extras, in alphabetical order."""
    optional = project["optional-dependencies"]
    found: dict[str, str] = {}
    left = [*project["dependencies"], *(requirement for extra in extras for requirement in optional[extra])]
    while left:
        requirement = left.pop()
        if own := re.match(rf"{project['name']}\[(.+)\]", requirement):
            left += [each for extra in own[1].split(",") for each in optional[extra]]
            continue
        name, _, rest = requirement.partition(">=")
        version = re.split(r"[;,\s]", rest)[0]
        if not version:
            raise ValueError(f"{requirement!r} in pyproject.toml has no lower bound.")
        plain = name.split("[")[0]
        found[plain] = max(version, found.get(plain, version), key=lambda v: [int(part) for part in v.split(".")])
    return [f"{name}=={version}" for name, version in sorted(found.items())]


if __name__ == "__main__":
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    print("\n".join(oldest_versions(tomllib.loads(text)["project"], sys.argv[1:])))
