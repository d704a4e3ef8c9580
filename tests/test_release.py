"""What a release consists of: metadata that agrees everywhere, workflows, the recipe, what is packed."""

import re
import runpy
import tomllib
from pathlib import Path

import pytest

import ldnn

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def workflow(name):
    """A parsed workflow; YAML takes its key `on` for a truth value."""
    return yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yml").read_text())


def test_one_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+", ldnn.__version__)
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text())
    assert recipe["context"]["version"] == ldnn.__version__
    assert f"\n## {ldnn.__version__}\n" in (ROOT / "CHANGELOG.md").read_text()


def test_the_recipe_has_the_dependencies_of_the_package():
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text())
    wanted = [dependency.replace(">=", " >=") for dependency in PROJECT["dependencies"]]
    assert recipe["requirements"]["run"] == [f"python {PROJECT['requires-python']}", *wanted]
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["summary"] == PROJECT["description"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows(path):
    """Each job has a machine, steps that do something, and no more rights than reading, but for those it names."""
    parsed = yaml.safe_load(path.read_text())
    assert parsed["name"] == path.stem
    assert parsed["permissions"] == {"contents": "read"}
    for job in parsed["jobs"].values():
        assert job["runs-on"]
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert re.fullmatch(r"[\w-]+/[\w-]+@[\w/.]+", step.get("uses", "a/b@v1"))


def test_the_versions_of_python_are_tested():
    matrix = workflow("tests")["jobs"]["tables"]["strategy"]["matrix"]
    named = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", line)]
    assert matrix["python"] == named
    assert PROJECT["requires-python"] == f">={named[0]}"
    assert len(matrix["system"]) == 3


def test_commands_of_the_workflows_exist():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    commands = [step.get("run", "") for path in WORKFLOWS for job in yaml.safe_load(path.read_text())["jobs"].values()
                for step in job["steps"]]  # fmt: skip
    wanted = {command.split()[1] for command in commands if command.startswith("make ")}
    assert {"test", "test-oldest", "docs"} <= wanted <= targets
    for command in commands:
        for ignored in re.findall(r"--ignore (\S+)", command):
            assert (ROOT / ignored).is_dir()


def test_publishing_is_trusted_and_attested():
    publish = workflow("publish")["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["steps"][-1]["with"] == {"attestations": True}


def test_the_oldest_versions():
    oldest_versions = runpy.run_path(str(ROOT / ".ci" / "oldest_versions.py"))["oldest_versions"]
    found = oldest_versions(PROJECT, [])
    assert found == sorted(dependency.replace(">=", "==") for dependency in PROJECT["dependencies"])
    project = {
        "name": "it",
        "dependencies": ["a>=1.9"],
        "optional-dependencies": {"x": ["b[part]>=2.0; python_version > '3'", "it[y]"], "y": ["a>=1.10"]},
    }
    assert oldest_versions(project, ["x"]) == ["a==1.10", "b==2.0"]
    with pytest.raises(ValueError, match="'c' in pyproject.toml has no lower bound"):
        oldest_versions({**project, "dependencies": ["c"]}, [])
    for extra in PROJECT["optional-dependencies"]:
        oldest_versions(PROJECT, [extra])


class TestReadmeOfThePackage:
    """Relative links work in a checkout only, so the package has absolute ones, or none."""

    hook = runpy.run_path(str(ROOT / ".ci" / "package_readme.py"))
    text = (ROOT / "README.md").read_text()

    def test_its_links_are_absolute(self):
        address = self.hook["repository"]({"GITHUB_REPOSITORY": "someone/ldnn"})
        found = re.findall(r"\]\(([^)]+)\)", self.hook["package_readme"](self.text, address, "1.2.3"))
        assert len(found) > 10
        files = "https://github.com/someone/ldnn"
        assert all(link.startswith((f"{files}/blob/v1.2.3/", f"{files}/raw/v1.2.3/")) for link in found)
        assert f"{files}/raw/v1.2.3/docs/two-moons.png" in found
        urls = self.hook["addresses"](address, "1.2.3")
        assert urls["Source"] == files and urls["Documentation"] == "https://someone.github.io/ldnn/"

    def test_without_an_address_there_are_no_links(self):
        assert self.hook["repository"]({}) is None
        changed = self.hook["package_readme"](self.text, None, "1.2.3")
        assert "](" not in changed and "two-moons.png" not in changed
        assert "getting started, user guide; `make docs` builds the site" in changed
        assert self.hook["addresses"](None, "1.2.3") == {}

    def test_hatchling_asks_for_it(self):
        assert {"readme", "urls"} <= {*PROJECT["dynamic"]}
        settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["metadata"]["hooks"]
        assert settings == {"custom": {"path": ".ci/package_readme.py"}}


def test_the_package_is_typed():
    assert (Path(ldnn.__file__).parent / "py.typed").exists()
    assert "Typing :: Typed" in PROJECT["classifiers"]


def test_nothing_is_left_out_of_the_source_distribution():
    """The tests run from it: of what is in version control, only a script for one machine stays out."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["sdist"]
    assert settings == {"exclude": ["/.ci/run"]}
