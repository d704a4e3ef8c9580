"""The playground is used as a reader does: in a real browser, with clicks, strokes and keys."""

import numpy as np
import pytest
from cli_runner import error_of, run

from ldnn import reference
from ldnn.explore import playground


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return playground().write(tmp_path_factory.mktemp("playground") / "playground.html")


@pytest.fixture(scope="module")
def scripts(path, browser):
    """A window with the playground, for tests that call its functions and touch nothing."""
    page = browser.new_page()
    page.goto(path.as_uri())
    yield page
    page.close()


def percent(page):
    return float(page.locator("#error").inner_text().removesuffix(" %"))


def epochs(page):
    return int(page.locator("#epochs").inner_text())


def test_one_small_file(path):
    html = path.read_text()
    assert len(html) < 100_000
    assert "@@" not in html
    assert "http-equiv" in html and "default-src 'none'" in html


@pytest.mark.parametrize("loss", ["squared", "log"])
def test_gradients_are_those_of_the_paper(scripts, random, loss):
    for N, M in [(1, 1), (3, 2), (5, 8)]:
        w, b = random.standard_normal((N, M, 2)), random.standard_normal((N, M))
        x, y = 2 * random.standard_normal(2), int(random.integers(2))
        net = {"N": N, "M": M, "w": w.ravel().tolist(), "b": b.ravel().tolist()}
        found = scripts.evaluate(
            "([net, x, y, loss]) => [ldnn.network.output(net, ...x), ldnn.network.gradient(net, ...x, y, loss)]",
            [net, x.tolist(), y, loss],
        )
        np.testing.assert_allclose(found[0], reference.network(x, w, b), rtol=1e-12)
        np.testing.assert_allclose(found[1]["dw"], reference.weight_gradient(x, y, w, b, loss).ravel(), rtol=1e-9)
        np.testing.assert_allclose(found[1]["db"], reference.bias_gradient(x, y, w, b, loss).ravel(), rtol=1e-9)
        error = reference.squared_error if loss == "squared" else reference.log_error
        np.testing.assert_allclose(found[1]["loss"], error(x[None], np.array([y]), w, b), rtol=1e-9)


def test_gradients_are_finite_where_products_end(scripts):
    """Far from all boundaries the sigmoids are 0 or 1 up to rounding."""
    for z in (-2000, -100, 100, 2000):
        net = {"N": 2, "M": 2, "w": [0] * 8, "b": [z] * 4}
        for label in (0, 1):
            for loss in ("squared", "log"):
                found = scripts.evaluate(
                    "([net, y, loss]) => ldnn.network.gradient(net, 1, 1, y, loss)", [net, label, loss]
                )
                assert np.isfinite([found["loss"], *found["db"], *found["dw"]]).all()
    net = {"N": 1, "M": 2, "w": [0] * 4, "b": [-100] * 2}  # the log loss still has its slope
    assert scripts.evaluate("net => ldnn.network.gradient(net, 1, 1, 1, 'log').db", net) == pytest.approx([-1, -1])


def test_half_spaces_start_midway(scripts, random):
    positive, negative = random.standard_normal((2, 2)), random.standard_normal((3, 2))
    net = scripts.evaluate(
        "([p, q]) => { const n = ldnn.network.between(p.map(([x, y]) => ({x, y})), q.map(([x, y]) => ({x, y})));"
        " return {w: [...n.w], b: [...n.b]}; }",
        [positive.tolist(), negative.tolist()],
    )
    w, b = reference.discriminants(positive, negative)
    np.testing.assert_allclose(net["w"], w.ravel())
    np.testing.assert_allclose(net["b"], b.ravel())


def test_a_polytope_is_where_its_half_spaces_hold(scripts, random):
    """The centre of a polygon is inside of all its half-spaces, and each corner on two lines or on the frame."""
    w, b = random.standard_normal((1, 5, 2)), np.ones((1, 5))
    net = {"N": 1, "M": 5, "w": w.ravel().tolist(), "b": b.ravel().tolist()}
    corners = np.array(scripts.evaluate("net => ldnn.network.polygon(net, 0, 3)", net))
    z = corners @ w[0].T + b[0]
    assert (z > -1e-9).all()
    on_lines = (np.abs(z) < 1e-9).sum(axis=1) + (np.abs(np.abs(corners) - 3) < 1e-9).sum(axis=1)
    assert (on_lines >= 2).all()


def test_steps_go_from_clusters_to_half_spaces_to_epochs(path, visit):
    page = visit(path)
    status, step = page.get_by_role("status"), page.get_by_role("button", name="Step")
    assert "centroids" in status.inner_text()
    step.click()
    assert "k-means, iteration 1" in status.inner_text()
    for _ in range(60):
        if "Half-spaces: 3" in status.inner_text():
            break
        step.click()
    assert percent(page) < 25
    step.click()
    assert epochs(page) == 1
    assert "of the 400 points are errors" in status.inner_text()
    page.get_by_role("button", name="Reset").click()
    assert epochs(page) == 0


def test_training_learns_the_moons(path, visit):
    page = visit(path)
    page.get_by_label("Speed").fill("4")
    page.get_by_label("Conjunctions").fill("4")
    page.get_by_label("Discriminants").fill("4")
    page.get_by_role("button", name="Run").click()
    for _ in range(600):
        if epochs(page) > 150:
            break
        page.wait_for_timeout(100)
    page.get_by_role("button", name="Pause").click()
    assert percent(page) <= 3  # the Bayes error of these moons is 2.8 %
    paused = epochs(page)
    page.wait_for_timeout(100)
    assert epochs(page) == paused
    losses = [one["loss"] for one in page.evaluate("ldnn.playground.state().history")]
    assert losses[-1] < 0.5 * losses[0]


def test_points_are_drawn_with_the_pointer_and_with_keys(path, visit):
    page = visit(path)
    page.get_by_label("Data set").select_option("own")
    assert page.get_by_role("button", name="Run").is_disabled()
    plane = page.locator("#plane")
    box = plane.bounding_box()
    plane.click(position={"x": 0.25 * box["width"], "y": 0.5 * box["height"]})
    page.get_by_label("class 0").check()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.2 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.8 * box["height"], steps=12)
    page.mouse.up()
    drawn = page.evaluate("ldnn.playground.points()")
    assert [point["label"] for point in drawn[:2]] == [1, 0]
    assert len(drawn) > 10
    assert drawn[0]["x"] == pytest.approx(-3.6, abs=0.1) and drawn[0]["y"] == pytest.approx(0, abs=0.1)
    plane.focus()
    for key in ("ArrowLeft", "ArrowUp", "Space", "Delete", "Space"):
        plane.press(key)
    assert len(page.evaluate("ldnn.playground.points()")) == len(drawn) + 1
    page.evaluate("for (let k = 0; k < 40; k++) document.getElementById('step').click()")
    assert epochs(page) > 0
    page.get_by_label("it erases").check()
    plane.click(position={"x": 0.25 * box["width"], "y": 0.5 * box["height"]})
    assert page.get_by_role("button", name="Run").is_disabled()  # no point of class 1 is left


def test_the_address_keeps_the_settings(path, visit):
    page = visit(path)
    page.get_by_label("Data set").select_option("spirals")
    page.get_by_label("Conjunctions").fill("20")
    page.get_by_role("combobox", name="Loss").select_option("log")
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert page.get_by_label("Data set").input_value() == "spirals"
    assert page.get_by_label("Conjunctions").input_value() == "20"
    assert page.get_by_role("combobox", name="Loss").input_value() == "log"
    page.goto("about:blank")
    page.goto(address.split("#")[0] + "#n=999&data=<script>&rate=x&loss=zero")  # nonsense is ignored
    assert page.get_by_label("Data set").input_value() == "moons"


@pytest.mark.parametrize("width", [360, 1400])
def test_nothing_is_cut_off(path, visit, width):
    page = visit(path, width=width, height=740, colors="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator("#plane").bounding_box()
    assert box["width"] == pytest.approx(box["height"], abs=2)
    dark = page.evaluate("[...document.getElementById('plane').getContext('2d').getImageData(3, 3, 1, 1).data]")
    page.get_by_role("button", name="Switch to light").click()
    light = page.evaluate("[...document.getElementById('plane').getContext('2d').getImageData(3, 3, 1, 1).data]")
    assert sum(dark[:3]) < 300 < sum(light[:3])


def test_the_command_writes_it(tmp_path):
    path = tmp_path / "p.html"
    assert f"Page: {path}" in run("playground", "-o", path).stdout
    assert path.read_text() == playground().html
    assert "no folder" in error_of("playground", "-o", tmp_path / "absent" / "p.html")


def test_a_notebook_shows_it(path, visit, tmp_path):
    outer = tmp_path / "notebook.html"
    outer.write_text(f"<!doctype html><link rel=icon href='data:,'>{playground()._repr_html_()}")
    frame = visit(outer).frame_locator("iframe")
    frame.get_by_role("button", name="Step").click()
    frame.get_by_label("Data set").select_option("chessboard")
    assert "400 points" in frame.get_by_role("status").inner_text()
    assert "kB" in repr(playground())
