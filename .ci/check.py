"""Run the project's checks one after another and say at the end what passed, failed and was skipped.

``check.py`` runs all of them, ``check.py lint unit`` only those. It needs the Python of an environment with
the ``dev`` extra (``make test`` sees to that). With ``CI=true`` a skipped part is a failure.
"""

import contextlib
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from machine import PROJECT, UnavailableError, provide_browser, provide_node, try_other_browsers

ARTIFACTS = PROJECT / ".artifacts"
JS = PROJECT / "js"
ENV = os.environ | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


@dataclass
class Check:
    """Commands that belong together; each is run, even after one that failed.

    In a command that runs tests ``{report}`` is the JUnit file that the test runner is to write.
    """

    name: str
    commands: Sequence[str]
    folder: Path = PROJECT
    prepare: Sequence[Callable[[], None]] = ()
    problems: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def run(self) -> None:
        """Run the commands and keep in ``problems`` and ``skips`` what became of them, in words."""
        started = time.monotonic()
        report = ARTIFACTS / f"{self.name}.xml"
        report.unlink(missing_ok=True)
        try:
            for prepare in self.prepare:
                prepare()
            for command in self.commands:
                self._run(command.format(report=os.path.relpath(report, self.folder)))
            self.skips = skipped_tests(report)
        except UnavailableError as reason:
            self.skips = [str(reason)]
        except subprocess.CalledProcessError as error:
            self.problems = [f"{shlex.join(error.cmd)}  (exit code {error.returncode})"]
        self.seconds = time.monotonic() - started

    def _run(self, command: str) -> None:
        print(f"\n=== {self.name}: {command}", flush=True)
        done = subprocess.run(shlex.split(command), cwd=self.folder, env=ENV, check=False)
        if done.returncode:
            self.problems.append(f"{command}  (exit code {done.returncode})")

    @property
    def outcome(self) -> str:
        """One word for the table."""
        return "FAILED" if self.problems else "SKIPPED" if self.skips else "passed"


def install_node_packages() -> None:
    """Install the pinned packages of ``js/``, unless they are those already."""
    provide_node(ENV)
    done = JS / "node_modules" / ".installed"
    wanted = (JS / "package-lock.json").read_text()
    if not done.exists() or done.read_text() != wanted:
        print("\n=== js: npm ci", flush=True)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=JS, env=ENV, check=True)
        done.write_text(wanted)


def try_node_packages() -> None:
    """Install them for tests that use some; without Node.js those tests are skipped, and reported as that."""
    with contextlib.suppress(UnavailableError):
        install_node_packages()


def skipped_tests(report: Path) -> list[str]:
    """Read from a JUnit file, if there is one, which tests did not run, and why."""
    if not report.exists():
        return []
    cases = ElementTree.parse(report).iter("testcase")
    reasons = ((case, case.find("skipped")) for case in cases)
    return [f"{case.get('name')}: {skip.get('message', '')}" for case, skip in reasons if skip is not None]


# In the order of what fails soonest.
CHECKS = [
    Check("lint", ["ruff check .", "ruff format --check ."]),
    Check("types", ["mypy"]),
    Check("imports", ["lint-imports"]),
    Check(
        "js",
        [
            "npm run lint",
            "npm run typecheck",
            "npm run test -- --reporter=default --reporter=junit --outputFile.junit={report}",
            "npm run check-built",
        ],
        folder=JS,
        prepare=[install_node_packages],
    ),
    Check(
        "unit",
        # Real servers and processes under load: what fails once is run again, and shown as "rerun".
        # More of them than processors: most of the time they wait.
        ["pytest tests -m 'not browser' -n 4 --reruns 1 -r aR --junit-xml={report}"],
        prepare=[try_node_packages],
    ),
    Check(
        "nbval",
        # Twice: what one run leaves behind must not change the next.
        [
            "pytest --nbval --nbval-current-env --nbval-sanitize-with=tests/nbval_sanitize.cfg"
            " --junit-xml={report} notebooks"
        ]
        * 2,
    ),
    Check(
        "browser",
        # Lab, Chromium and a kernel on two processors: what fails once is run again, and shown as "rerun".
        # Whoever is done takes tests from others, so that nobody waits in the end.
        ["pytest tests -m browser -n 3 --dist worksteal --reruns 2 -r aR --junit-xml={report}"],
        prepare=[provide_browser, try_other_browsers, try_node_packages],
    ),
]


def main() -> int:
    """Run the checks named on the command line, or all."""
    names = [check.name for check in CHECKS]
    wanted = sys.argv[1:] or names
    if unknown := set(wanted) - set(names):
        print(f"No such check: {', '.join(sorted(unknown))}")
        return 2
    ARTIFACTS.mkdir(exist_ok=True)
    chosen = [check for check in CHECKS if check.name in wanted]
    for check in chosen:
        check.run()

    print("\n=== summary")
    for check in chosen:
        print(f"{check.outcome:8} {check.name:8} {check.seconds:5.0f} s")
        for text in check.problems + check.skips:
            print(f"           {text}")
    outcomes = [check.outcome for check in chosen]
    counts = {outcome: outcomes.count(outcome) for outcome in ("passed", "FAILED", "SKIPPED")}
    if counts["SKIPPED"]:
        print("\n*** SOMETHING WAS SKIPPED: this run does not show that everything works. ***")
    print("\nchecks: {passed} passed, {FAILED} failed, {SKIPPED} skipped".format(**counts), flush=True)
    strict = os.environ.get("CI", "").lower() in ("1", "true")
    return int(counts["FAILED"] > 0 or (strict and counts["SKIPPED"] > 0))


if __name__ == "__main__":
    sys.exit(main())
