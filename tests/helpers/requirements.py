"""What a test needs that may be absent."""

import os

import pytest


def do_without(what):
    """Skip the test because something is absent; if LDNN_REQUIRE_ALL is set, that is an error."""
    assert not os.environ.get("LDNN_REQUIRE_ALL"), what
    pytest.skip(what)
