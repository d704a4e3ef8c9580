"""Fixtures for tests that look at pages in a real browser; only these tests need playwright."""

import shutil
from pathlib import Path

import pytest
from requirements import do_without

# Pages are drawn without a graphics card that is not there, and the browser asks nothing of the network.
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-software-rasterizer", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
]  # fmt: skip


@pytest.fixture(scope="session")
def browser():
    """A real browser without a window. Without one, tests skip; if LDNN_REQUIRE_ALL is set, that is an error."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        do_without("playwright is not installed")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        do_without("there is no Chromium on this machine")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser):
    """A function that opens a file in a window and returns the page; the test fails if a script of the page fails, or
    if the page requests anything but itself.
    """
    contexts, troubles = [], []

    def go(path, *, width=1200, height=900, colors="light"):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=colors)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(f"a script failed: {error}"))
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        address = Path(path).resolve().as_uri()
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith((address, "data:")) else troubles.append(f"asked for {request.url}")
            ),
        )
        page.goto(address)
        return page

    yield go
    for context in contexts:
        context.close()
    assert troubles == []
