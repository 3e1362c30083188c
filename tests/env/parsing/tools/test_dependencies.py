from importlib.metadata import version

from env.parsing.tools.dependencies import requires, versions


def test_a_version_changes_with_the_adapter_and_with_each_library():
    assert versions(1, "lxml")() == f"adapter 1, lxml {version('lxml')}"
    assert versions(2, "lxml")() != versions(1, "lxml")()
    assert versions(1, "lxml", "pillow")() != versions(1, "lxml")()


def test_an_absent_optional_library_is_part_of_the_version():
    assert versions(1, "no-such-distribution")() == "adapter 1, no-such-distribution absent"


def test_a_missing_module_is_named():
    assert requires("lxml")() is None
    assert requires("lxml", "no_such_module")() == "Python package not installed: no_such_module"
