"""The pages of the documentation: every public name is there, every link leads somewhere, all code runs."""

import re
from importlib import import_module

import pytest
from site_pages import PAGES, ROOT, page_name

WITH_CODE = [page for page in PAGES if "```python\n" in page.read_text()]
GALLERY = sorted((ROOT / "examples" / "gallery").glob("*.py"))
PUBLIC_MODULES = [
    "batches", "comparison", "dask", "datasets", "deep", "explore", "page", "plotting", "rules",
]  # fmt: skip
NEEDS_A_FILE = {"clusters.md", "larger-than-memory.md"}  # their examples read the reader's own file


@pytest.mark.parametrize("module", ["ldnn", *(f"ldnn.{name}" for name in PUBLIC_MODULES)])
def test_every_public_name_is_in_the_reference(module):
    words = set(re.findall(r"^   (\w+)$", (ROOT / "docs" / "api.rst").read_text(), flags=re.MULTILINE))
    no_pages = {"__version__", *PUBLIC_MODULES, "COLORS", "CONFIGURATIONS", "Cell", "Part", "ClusterError"}
    assert set(import_module(module).__all__) - no_pages <= words


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
        if not re.match(r"https?://", target):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/*.md")), ids=page_name)
def test_references_lead_to_pages(page):
    for target in re.findall(r"\{doc\}`([^`<]+)`", page.read_text()):
        assert target == "gallery/index" or any((page.parent / f"{target}{end}").exists() for end in (".md", ".rst"))
    for example in re.findall(r"sphx_glr_gallery_(\w+\.py)", page.read_text()):
        assert (ROOT / "examples" / "gallery" / example) in GALLERY


def test_every_page_is_in_the_table_of_contents():
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    listed = set()
    for page in (ROOT / "docs").glob("*.md"):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(), flags=re.DOTALL):
            entries = [line.strip() for line in block.splitlines() if line and not line.startswith(":")]
            listed.update(re.sub(r".*<(.+)>", r"\1", entry) for entry in entries)  # a title may precede the page
    assert pages <= listed


@pytest.mark.parametrize("page", [page for page in WITH_CODE if page.name not in NEEDS_A_FILE], ids=page_name)
def test_code_runs(page, tmp_path, monkeypatch):
    """The blocks of a page, one after the other, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL):
        exec(compile(block, page.name, "exec"), names)


def test_the_gallery_has_titles():
    assert len(GALLERY) >= 12
    for example in GALLERY:
        text = example.read_text()
        compile(text, example.name, "exec")  # they are run when the site is built
        assert re.match(r'"""\n(.+)\n=+\n\n', text), example.name
