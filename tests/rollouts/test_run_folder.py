import json
from pathlib import Path

import pytest

from env.errors import RunFolderError
from rollouts.run_folder import RunFolder, describe_program

CONFIG = {"seed": 1, "policy": {"name": "rule", "temperature": 0.0}, "out": "a", "concurrency": 4}


def test_a_new_folder_gets_its_configuration_and_meta(tmp_path: Path) -> None:
    RunFolder(tmp_path / "run").open(CONFIG, {"snapshot": "abc"})
    assert json.loads((tmp_path / "run" / "config.json").read_text()) == CONFIG
    assert json.loads((tmp_path / "run" / "meta.json").read_text()) == {"snapshot": "abc"}


def test_the_same_configuration_may_come_back_with_another_concurrency(tmp_path: Path) -> None:
    RunFolder(tmp_path).open(CONFIG, {})
    RunFolder(tmp_path).open(CONFIG | {"concurrency": 1}, {})


def test_another_configuration_is_refused_with_the_difference_named(tmp_path: Path) -> None:
    RunFolder(tmp_path).open(CONFIG, {})
    with pytest.raises(RunFolderError, match=r"policy\.temperature: 0\.0 there, 0\.8 now"):
        RunFolder(tmp_path).open(CONFIG | {"policy": {"name": "rule", "temperature": 0.8}}, {})


def test_a_path_that_cannot_be_a_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match="cannot be used"):
        RunFolder(tmp_path / "file").open(CONFIG, {})


def test_the_program_is_described_by_versions() -> None:
    described = describe_program()
    assert described["packages"]["docgym"]
    assert "commit" in described
