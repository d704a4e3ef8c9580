"""Python processes that start within a tenth of a second, because they are forked from one with all imports done.

They are processes like others: they get signals, have streams and environments of their own, and can be killed. What a
process does before its first line of code (imports, options of the interpreter) needs one that `subprocess` starts.
"""

import atexit
import multiprocessing
import os
import runpy
import signal
import sys

IMPORTED = (
    "ldnn.modular", "ldnn.classifier", "ldnn.cli.commands", "ldnn.cli.fitting", "ldnn.cli.batch_prediction",
    "ldnn.deep.conv_classifier", "reproduction.runner", "distributed",
)  # fmt: skip

_context = multiprocessing.get_context("forkserver") if sys.platform != "win32" else None


class Process:
    """A process that runs a script or, if `script` is a path or the name of a module, that file or module.

    `stdout` and `stderr` are read as text; `stdin`, if asked for, is written as text.
    """

    def __init__(self, script, *arguments, stdin=False, environment=None):
        pipes = {number: _context.Pipe(duplex=False) for number in (0, 1, 2)[not stdin :]}
        theirs = {number: pipe[bool(number)] for number, pipe in pipes.items()}
        ours = {number: pipe[not number] for number, pipe in pipes.items()}
        given = (theirs, str(script), [str(value) for value in arguments], {**os.environ, **(environment or {})})
        _context.set_forkserver_preload(list(IMPORTED))
        self._process = _context.Process(target=_run, args=given)
        self._process.start()
        atexit.register(self._process.kill)  # of a test that failed
        for connection in theirs.values():
            connection.close()
        self.stdin, self.stdout, self.stderr = (
            os.fdopen(os.dup(ours[number].fileno()), "r" if number else "w") if number in ours else None
            for number in (0, 1, 2)
        )
        for connection in ours.values():
            connection.close()
        self.pid = self._process.pid

    def send_signal(self, number):
        os.kill(self.pid, number)

    def poll(self):
        """The exit code, or None while it runs; minus the number of the signal that ended it."""
        return self._process.exitcode

    def wait(self, timeout=120):
        self._process.join(timeout)
        if self._process.exitcode is None:
            self.send_signal(signal.SIGKILL)
            raise TimeoutError(f"The process was not done after {timeout} seconds.")
        return self._process.exitcode

    def result(self):
        """What it printed on standard output and standard error, at its end, and its exit code."""
        printed, errors = self.stdout.read(), self.stderr.read()
        return printed, errors, self.wait()


def _run(streams, script, arguments, environment):
    for number, connection in streams.items():
        os.dup2(connection.fileno(), number)
        connection.close()
    if 0 in streams:
        sys.stdin = os.fdopen(0)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [script, *arguments]
    try:
        if script.endswith(".py"):
            runpy.run_path(script, run_name="__main__")
        elif script.replace(".", "").isidentifier():
            runpy.run_module(script, run_name="__main__", alter_sys=True)
        else:
            exec(compile(script, "<script>", "exec"), {"__name__": "__main__"})
    finally:
        atexit._run_exitfuncs()  # a forked process ends without them


def forgetting(*packages):
    """Code after which the process imports ldnn and these packages anew."""
    return f"""
import sys
for name in list(sys.modules):
    if name.partition(".")[0] in {("ldnn", *packages)}:
        del sys.modules[name]
"""


def without(package, code):
    """What a process prints on standard error if it imports ldnn where a package is missing, and runs the code."""
    return Process(f"{forgetting(package)}sys.modules['{package}'] = None\nimport ldnn\n{code}").result()[1].strip()
