from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

HERE = Path(__file__).parent
CHECK_IGNORED = HERE.parents[1] / "scripts" / "check_ignored.py"
ONE_TEST = "tests/python/test_a.py::test_it"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with the gate, an empty list and one file of tests that a test fills in."""
    # The gate needs no other plugin, and Hypothesis alone takes a second to load.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini("[pytest]\ntestpaths = tests/python\nmarkers = slow: long\n")
    tests = pytester.mkdir("tests") / "python"
    tests.mkdir()
    for name in ("conftest.py", "skip_gate.py"):
        shutil.copy(HERE / name, tests / name)
    excuse(pytester, "")
    return pytester


def excuse(project: pytest.Pytester, text: str) -> None:
    (project.path / "tests" / "excused.toml").write_text(text, encoding="utf-8")


def entry(test: str, **more: str) -> str:
    pairs = {"test": test, "reason": "it must", **more}
    return "[[python]]\n" + "".join(f'{key} = "{value}"\n' for key, value in pairs.items())


def run(project: pytest.Pytester, source: str, *arguments: str) -> pytest.RunResult:
    path = project.path / "tests" / "python" / "test_a.py"
    path.write_text("import pytest\n" + dedent(source), encoding="utf-8")
    return project.runpytest_subprocess(*arguments)


def decorated(mark: str, body: str = "pass", parameters: str = "") -> str:
    marked = f"@pytest.mark.{mark}\ndef test_it({parameters}):\n    {body}\n"
    return f"{marked}\ndef test_other():\n    pass\n"


LEFT_OUT = {
    "mark": decorated("skip(reason='lazy')"),
    "condition": decorated("skipif(True, reason='lazy')"),
    "call": decorated("slow", "pytest.skip('lazy')"),
    "missing dependency": decorated("slow", "pytest.importorskip('no_such_module')"),
    "fixture": "@pytest.fixture\ndef f():\n    pytest.skip('lazy')\n\ndef test_it(f):\n    pass\n",
    "xfail": decorated("xfail(reason='broken')", "assert False"),
    "unexpected pass": decorated("xfail(reason='broken', strict=False)"),
    "parameter": decorated(
        "parametrize('x', [1, pytest.param(2, marks=pytest.mark.skip)])", parameters="x"
    ),
    "no parameters": decorated("parametrize('x', [])", parameters="x"),
}


@pytest.mark.parametrize("source", LEFT_OUT.values(), ids=LEFT_OUT.keys())
def test_what_does_not_run_fails_unless_listed(project: pytest.Pytester, source: str) -> None:
    result = run(project, source)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"{ONE_TEST}*not listed in tests/excused.toml"])

    excuse(project, entry(ONE_TEST))
    assert run(project, source).ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    "source",
    ["pytest.skip('lazy', allow_module_level=True)", "pytest.importorskip('no_such_module')"],
)
def test_a_file_left_out_fails_unless_listed(project: pytest.Pytester, source: str) -> None:
    (project.path / "tests" / "python" / "test_b.py").write_text("def test_b():\n    pass\n")
    result = run(project, source)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["tests/python/test_a.py: skipped*not listed*"])

    excuse(project, entry("tests/python/test_a.py"))
    assert run(project, source).ret == pytest.ExitCode.OK


def test_one_skipped_doctest_example_of_several_fails(project: pytest.Pytester) -> None:
    source = '''
        def double(x):
            """
            >>> double(1)
            2
            >>> double(2)  # doctest: +SKIP
            5
            """
            return 2 * x
    '''
    result = run(project, source, "--doctest-modules")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*test_a.double: has an example marked +SKIP, and not listed*"])


SKIPPED_WHERE_COLLECTED = """
    def double(x):
        '''
        >>> double(1)
        2
        >>> double(2)  # doctest: +SKIP
        5
        '''
        return 2 * x
"""


def test_several_processes_tell_the_same(project: pytest.Pytester) -> None:
    tests = project.path / "tests" / "python"
    (tests / "test_b.py").write_text(
        "import pytest\npytest.skip('lazy', allow_module_level=True)\n"
    )
    (tests / "test_c.py").write_text(dedent(SKIPPED_WHERE_COLLECTED))
    in_two = ("-p", "xdist.plugin", "-n", "2", "--doctest-modules")
    source = LEFT_OUT["call"]
    others = ["tests/python/test_a.py::test_other", "tests/python/test_a.py::test_gone"]
    excuse(project, "".join(map(entry, others)))
    result = run(project, source, *in_two)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=2, skipped=2)
    left_out = [ONE_TEST, "tests/python/test_b.py", "tests/python/test_c.py::test_c.double"]
    result.stdout.fnmatch_lines(
        [
            *(f"{name}: *not listed in tests/excused.toml" for name in left_out),
            f"{others[0]}: listed in *, but it ran",
            f"{others[1]}: listed in *, but there is no such test",
        ]
    )

    excuse(project, "".join(map(entry, left_out)))
    assert run(project, source, *in_two).ret == pytest.ExitCode.OK


def test_a_run_without_omissions_passes(project: pytest.Pytester) -> None:
    result = run(project, decorated("slow"))
    assert result.ret == pytest.ExitCode.OK
    assert "tests that did not run" not in result.stdout.str()


def test_deselected_tests_are_no_omission(project: pytest.Pytester) -> None:
    result = run(project, decorated("slow", "pytest.skip('lazy')"), "-m", "not slow")
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=1, deselected=1)


def test_an_entry_without_effect_fails(project: pytest.Pytester) -> None:
    excuse(project, entry(ONE_TEST))
    result = run(project, decorated("slow"))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"{ONE_TEST}: listed in tests/excused.toml, but it ran"])
    assert run(project, decorated("slow"), "-m", "not slow").ret == pytest.ExitCode.OK


def test_an_entry_for_no_test_fails_where_all_tests_are_seen(project: pytest.Pytester) -> None:
    excuse(project, entry("tests/python/test_a.py::test_gone"))
    result = run(project, decorated("slow"))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*test_gone: listed*, but there is no such test"])
    assert run(project, decorated("slow"), ONE_TEST).ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    ("when", "code"), [("python_version > '3'", 0), ("python_version < '3'", 1)]
)
def test_an_entry_holds_only_in_its_environment(
    project: pytest.Pytester, when: str, code: int
) -> None:
    excuse(project, entry(ONE_TEST, when=when))
    assert run(project, LEFT_OUT["mark"]).ret == code
    assert run(project, decorated("slow")).ret == 1 - code


@pytest.mark.parametrize(
    "text",
    ['[[python]]\ntest = "a"', entry("a", reason=" "), entry("a", unless="b")],
    ids=["no reason", "empty reason", "unknown key"],
)
def test_a_malformed_entry_is_refused(project: pytest.Pytester, text: str) -> None:
    excuse(project, text)
    assert run(project, decorated("slow")).ret == pytest.ExitCode.USAGE_ERROR


def test_a_failure_stays_a_failure(project: pytest.Pytester) -> None:
    result = run(project, decorated("slow", "assert False"))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "tests that did not run" not in result.stdout.str()


def test_ignored_tests_are_read_with_their_targets() -> None:
    spec = importlib.util.spec_from_file_location("check_ignored", CHECK_IGNORED)
    assert spec is not None
    assert spec.loader is not None
    check_ignored = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check_ignored)
    listing = """
        Finished `test` profile [unoptimized + debuginfo] target(s) in 0.05s
             Running unittests src/lib.rs (target/debug/deps/oware-0123456789abcdef)
        board::tests::deep: test

        1 test, 0 benchmarks
             Running tests\\perft.rs (target\\debug\\deps\\perft-0123456789abcdef.exe)
        depth_12: test

        1 test, 0 benchmarks
           Doc-tests oware
        src/lib.rs - (line 3): test

        1 test, 0 benchmarks
    """
    assert check_ignored.read_listing(dedent(listing)) == {
        "src/lib.rs::board::tests::deep",
        "tests/perft.rs::depth_12",
        "src/lib.rs - (line 3)",
    }


def test_an_ignored_rust_test_fails_unless_listed(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "small"\nedition = "2024"\n')
    documentation = "//! ```ignore\n//! 1\n//! ```\n"
    tests = '#[test]\nfn runs() {}\n#[test]\n#[ignore = "slow"]\nfn deep() {}\n'
    (tmp_path / "src" / "lib.rs").write_text(documentation + tests)
    (tmp_path / "tests" / "more.rs").write_text("#[test]\n#[ignore]\nfn far() {}\n")
    names = ["src/lib.rs::deep", "tests/more.rs::far", "src/lib.rs - (line 1)"]

    def check(listed: list[str]) -> subprocess.CompletedProcess[str]:
        entries = [f'[[rust]]\ntest = "{name}"\nreason = "slow"\n' for name in listed]
        (tmp_path / "tests" / "excused.toml").write_text("".join(entries), encoding="utf-8")
        command = [sys.executable, str(CHECK_IGNORED)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    none = check([])
    assert none.returncode == 1
    assert none.stderr.count("not listed") == len(names)
    assert all(f"{name}: ignored, and not listed" in none.stderr for name in names)
    assert check(names).returncode == 0
    stale = check([*names, "src/lib.rs::runs"])
    assert stale.returncode == 1
    assert "src/lib.rs::runs: listed in" in stale.stderr
