from benchmarks import accuracy


def test_spirals_from_farthest_clusters():
    rows = accuracy.spirals(seeds=1, epochs=5)["spirals"]
    assert [(row["threshold"], row["size"]) for row in rows] == [(2.2, [18, 18]), (2.0, [21, 21]), (1.5, [27, 27])]


def test_the_best_setting_of_the_grid_is_chosen(moons):
    X, y = moons
    grid = {"max_epochs": [5], "learning_rate": [1e-6, 0.3], "label_smoothing": [0.2]}
    chosen = accuracy.choose(X, y, (2, 2), grid)
    assert chosen["setting"] == {"max_epochs": 5, "learning_rate": 0.3, "label_smoothing": 0.2}
    other = accuracy.choose(X, y, (2, 2), {**grid, "learning_rate": [1e-6]})
    assert chosen["validation_score"] < other["validation_score"]


def test_the_table():
    result = {"size": [7, 4], "test_errors": [15.0, 16.0], "paper": 15.25, "to_reach": 15.5, "fit_seconds": [1.0, 3.0]}
    spirals = {"spirals": [{"size": [18, 18], "training_errors": [0.0, 0.5]}]}
    (table,) = accuracy.tables({"adult": result, "spirals": spirals})
    assert table.rows == [["adult", "7x4", "15.50", "15.00 to 16.00", "15.25", "15.5", "2.0"]]
    assert "18x18: 0.5 %" in table.notes[0]
