"""Run the project's checks one after another and say at the end what passed, failed and was skipped.

``check.py`` runs all of them, ``check.py lint unit`` only those. It needs the Python of an environment with
the ``dev`` extra (``make test`` sees to that). With ``CI=true`` a skipped part is a failure.
"""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from machine import PROJECT, UnavailableError, provide_chromium, provide_node

ARTIFACTS = PROJECT / ".artifacts"
JS = PROJECT / "js"
ENV = os.environ | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


@dataclass
class Check:
    """Commands that belong together, each run even if one before it failed."""

    name: str
    commands: Sequence[str]
    folder: Path = PROJECT
    prepare: Callable[[], None] = lambda: None
    report: Path | None = None  # the JUnit file that the check's test runner writes
    problems: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def run(self) -> None:
        """Run the commands and keep in ``problems`` and ``skips`` what became of them, in words."""
        started = time.monotonic()
        try:
            self.prepare()
            codes = {command: self._run(command) for command in self.commands}
            self.problems = [f"{command}  (exit code {code})" for command, code in codes.items() if code]
            self.skips = skipped_tests(self.report) if self.report else []
        except UnavailableError as reason:
            self.skips = [str(reason)]
        except subprocess.CalledProcessError as error:
            self.problems = [f"{shlex.join(error.cmd)}  (exit code {error.returncode})"]
        self.seconds = time.monotonic() - started

    def _run(self, command: str) -> int:
        print(f"\n=== {self.name}: {command}", flush=True)
        return subprocess.run(shlex.split(command), cwd=self.folder, env=ENV, check=False).returncode

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


def skipped_tests(report: Path) -> list[str]:
    """Read from a JUnit file which tests did not run, and why."""
    if not report.exists():  # the runner did not get that far, and has said why by its exit code
        return []
    cases = ElementTree.parse(report).iter("testcase")
    reasons = ((case, case.find("skipped")) for case in cases)
    return [f"{case.get('name')}: {skip.get('message', '')}" for case, skip in reasons if skip is not None]


def checks() -> list[Check]:
    """List the checks in the order of what fails soonest."""
    unit, nbval, browser, js = (ARTIFACTS / f"{name}.xml" for name in ("unit", "nbval", "browser", "js"))
    return [
        Check("lint", ["ruff check .", "ruff format --check ."]),
        Check("types", ["mypy"]),
        Check("imports", ["lint-imports"]),
        Check(
            "js",
            [
                "npm run lint",
                "npm run typecheck",
                f"npm run test -- --reporter=default --reporter=junit --outputFile.junit={js}",
                "npm run check-built",
            ],
            folder=JS,
            prepare=install_node_packages,
            report=js,
        ),
        Check(
            "unit",
            [f"pytest tests --ignore=tests/browser -n auto --maxprocesses=4 --junit-xml={unit}"],
            report=unit,
        ),
        Check(
            "nbval",
            [
                "pytest --nbval --nbval-current-env --nbval-sanitize-with=tests/nbval_sanitize.cfg"
                f" --junit-xml={nbval} notebooks"
            ],
            report=nbval,
        ),
        Check(
            "browser",
            [f"pytest tests/browser -n 2 --junit-xml={browser}"],
            prepare=provide_chromium,
            report=browser,
        ),
    ]


def main() -> int:
    """Run the checks named on the command line, or all."""
    everything = checks()
    wanted = sys.argv[1:] or [check.name for check in everything]
    if unknown := set(wanted) - {check.name for check in everything}:
        print(f"No such check: {', '.join(sorted(unknown))}")
        return 2
    ARTIFACTS.mkdir(exist_ok=True)
    chosen = [check for check in everything if check.name in wanted]
    for check in chosen:
        if check.report:
            check.report.unlink(missing_ok=True)
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
