"""The pages of the documentation: every public name is there, every link leads somewhere, all code runs."""

import re
import sys
from importlib import import_module

import pytest
from site_pages import PAGES, ROOT, page_name

Sphinx = pytest.importorskip("sphinx.application").Sphinx
sys.path.insert(0, str(ROOT / "docs"))
import offline_pages  # noqa: E402

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


def test_the_readme_fits_on_a_screen():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 50 and not re.search(r"^\|", text, flags=re.MULTILINE)  # tables are on the site


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<script async src="https://cdn.example.org/a.js"></script>', ["https://cdn.example.org/a.js"]),
        ('<link rel="stylesheet" href="//fonts.example.org/a.css">', ["//fonts.example.org/a.css"]),
        ('<img alt="" src="http://example.org/badge.svg">', ["http://example.org/badge.svg"]),
        ("<style>p { background: url('https://example.org/a.png') }</style>", ["https://example.org/a.png"]),
        ('<p style="background: url(https://example.org/b.png)">', ["https://example.org/b.png"]),
        ('<script>import("https://example.org/a.mjs")</script>', ["https://example.org/a.mjs"]),
        ('<link rel="canonical" href="https://example.org/"><a href="https://example.org/">a link</a>', []),
        ('<script src="_static/a.js"></script><img src="data:image/png;base64,AA=="><p>url(https://a.org)</p>', []),
    ],
)
def test_what_a_page_loads_from_other_hosts_is_found(text, found):
    assert offline_pages.loaded_from_elsewhere(text) == found


def test_what_style_sheets_load_from_other_hosts_is_found():
    sheet = '@import "https://example.org/a.css"; p { src: url(//example.org/f.woff2), url(own.woff2) }'
    assert offline_pages.styles_from_elsewhere(sheet) == ["https://example.org/a.css", "//example.org/f.woff2"]


def test_formulas_need_no_script(tmp_path):
    (tmp_path / "index.rst").write_text("Title\n=====\n\n:math:`N`\n\n.. math::\n\n   a &= 1 \\\\ b &= 2\n")
    settings = {"extensions": ["offline_pages"], "html_math_renderer": "mathml"}
    app = Sphinx(tmp_path, None, tmp_path / "out", tmp_path / "trees", "html", settings, status=None, warning=None)
    app.build()
    page = (tmp_path / "out" / "index.html").read_text()
    assert "<mi>N</mi>" in page and '<div class="formula"><math' in page and "athjax" not in page.lower()


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
