"""Running the command within the tests."""

import re

from click.testing import CliRunner

from ldnn.cli.commands import app

# A small plain network, with nothing left to choose.
PLAIN = [
    f"--set={parameter}"
    for parameter in ("n_conjunctions=2", "n_discriminants=2", "discriminant=linear", "n_estimators=1", "loss=squared",
                      "learning_rate=0.25", "revisit_every=1", "max_epochs=5", "validation_fraction=0.1")
]  # fmt: skip


def run(*arguments, stdin=None, code=0):
    """Run a command in this process: what it printed on standard output and on standard error."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert result.exit_code == code, (result.output, result.exception)
    return result


def error_of(*arguments, **more):
    """The one sentence that a wrong call prints."""
    result = run(*arguments, code=1, **more)
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1 and lines[0].startswith("ldnn: "), result.stderr
    return lines[0][6:]


def check_refused(folder, name, content, pattern):
    """A file with this content cannot be fitted, for a reason that matches the pattern; nothing is written."""
    (folder / name).write_bytes(content)
    message = error_of("fit", folder / name, "-t", "answer", "-o", folder / "m.ldnn")
    assert re.search(pattern, message), message
    assert [file.name for file in folder.iterdir()] == [name]
