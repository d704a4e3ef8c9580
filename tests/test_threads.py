"""Networks that share threads take turns, piece by piece."""

import pytest

from ldnn._threads import Workers


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_every_network_does_all_its_pieces_in_order(n_jobs):
    done: dict[int, list[int]] = {c: [] for c in range(7)}

    def work(c):
        for piece in range(c):  # the first has nothing to do
            done[c].append(piece)
            yield

    with Workers(n_jobs, 7) as workers:
        workers.in_turns(work)
    assert done == {c: list(range(c)) for c in range(7)}


def test_an_error_in_one_network_is_raised():
    def work(c):
        yield
        if c == 3:
            raise ValueError("network 3")

    with Workers(2, 5) as workers, pytest.raises(ValueError, match="network 3"):
        workers.in_turns(work)


def test_nothing_goes_on_after_a_stop():
    pieces = []

    def work(c):
        while True:
            pieces.append(c)
            if len(pieces) == 10:
                workers.is_over = True
            yield

    with Workers(2, 4) as workers:
        workers.in_turns(work)
    assert 10 <= len(pieces) <= 12
