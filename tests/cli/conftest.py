import numpy as np
import pandas as pd
import pytest
from cli_runner import PLAIN, run


@pytest.fixture(scope="session")
def people():
    """A table with numbers, text, truth values and missing values."""
    random = np.random.default_rng(0)
    count = 300
    income = random.normal(40, 10, count)
    city = random.choice(["Oslo", "Rome", "Bern"], count)
    table = pd.DataFrame(
        {"income": income, "city": city, "owner": random.random(count) < 0.5, "age": random.integers(18, 80, count)}
    )
    table["answer"] = np.where(income + 10 * (city == "Rome") > 42, "yes", "no")
    table["age"] = table["age"].astype(object)
    table.loc[::7, "age"] = None
    table.loc[3, "city"] = None
    return table


@pytest.fixture(scope="session")
def folder(people, tmp_path_factory):
    """The table in several files, and a model of it."""
    folder = tmp_path_factory.mktemp("files")
    people.to_csv(folder / "people.csv", index=False)
    people.astype({"age": float}).to_parquet(folder / "people.parquet", row_group_size=70)
    run("fit", folder / "people.csv", "-t", "answer", "-o", folder / "people.ldnn", "-q", *PLAIN)
    return folder
