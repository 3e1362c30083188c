from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict

import configs.load
from configs.load import ConfigError, answer_help, load_config


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Red(Strict):
    name: Literal["red"]
    depth: float


class Blue(Strict):
    name: Literal["blue"]
    width: int


class Inner(Strict):
    temperature: float


class Outer(Strict):
    count: int
    path: str
    inner: Inner
    colour: Red | Blue


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration folder of the test's own in place of the shipped one."""
    (tmp_path / "base.toml").write_text("count = 1\n[inner]\ntemperature = 0.5  # in kelvin\n")
    (tmp_path / "main.toml").write_text('extends = ["base.toml"]\npath = "here"\ncolour = "red"\n')
    (tmp_path / "colour").mkdir()
    (tmp_path / "colour" / "red.toml").write_text('name = "red"\ndepth = 2.0\n')
    (tmp_path / "colour" / "blue.toml").write_text('name = "blue"\nwidth = 3\n')
    monkeypatch.setattr(configs.load, "FOLDER", tmp_path)
    return tmp_path


def load(*argv: str) -> Outer:
    return load_config(Outer, argv, default="main.toml")


def test_a_file_stands_on_the_files_it_extends() -> None:
    config = load()
    assert (config.count, config.path, config.inner.temperature, config.colour) == (1, "here", 0.5, Red(name="red", depth=2.0))


def test_overrides_reach_nested_keys_and_need_no_quotes() -> None:
    config = load("inner.temperature=0.8", "path=some/folder with space", "count=7")
    assert (config.inner.temperature, config.path, config.count) == (0.8, "some/folder with space", 7)


def test_a_preset_is_chosen_by_name_and_overridden_by_key() -> None:
    assert load("colour=blue", "colour.width=9").colour == Blue(name="blue", width=9)
    assert load("colour.depth=4").colour == Red(name="red", depth=4.0)


def test_config_argument_replaces_the_default_file(folder: Path) -> None:
    (folder / "other.toml").write_text('extends = ["main.toml"]\ncount = 5\n')
    assert load("--config", str(folder / "other.toml")).count == 5
    assert load("--config=other.toml").count == 5


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("cuont=1", "unknown key cuont; did you mean 'count'?"),
        ("inner.temprature=1", "unknown key inner.temprature; did you mean 'temperature'?"),
        ("count=many", "count = 'many'"),
        ("colour=reed", "unknown colour 'reed'; did you mean 'red'?"),
        ("path.inner=1", "path is a value, not a table"),
        ("count.inner=1", "count is a value, not a table"),
        ("--verbose", "'--verbose' is neither --config FILE nor key=value"),
        ("lonely", "'lonely' is neither"),
        ("--config=absent.toml", "absent.toml does not exist; shipped: base.toml"),
        ("--config", "--config needs a file"),
    ],
)
def test_mistakes_are_named_with_what_to_do(argument: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(argument)
    assert message in str(caught.value)


def test_a_mistyped_key_of_a_preset_is_compared_with_the_presets_fields() -> None:
    with pytest.raises(ConfigError, match="did you mean 'width'"):
        load("colour=blue", "colour.widht=9")


def test_a_missing_key_is_named(folder: Path) -> None:
    (folder / "main.toml").write_text('extends = ["base.toml"]\ncolour = "red"\n')
    with pytest.raises(ConfigError, match="missing key path"):
        load()


def test_a_damaged_file_is_named(folder: Path) -> None:
    (folder / "main.toml").write_text("count = = 1")
    with pytest.raises(ConfigError, match=r"main\.toml cannot be read"):
        load()


def test_help_prints_every_key_with_its_comment(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        answer_help(["count=1", "--help"], usage="usage text", default="main.toml")
    printed = capsys.readouterr().out
    assert caught.value.code == 0
    assert "usage text" in printed
    assert "temperature = 0.5  # in kelvin" in printed
    assert "presets: colour=blue, colour=red" in printed


def test_without_the_flag_no_help_is_given() -> None:
    answer_help(["count=1"], usage="usage text", default="main.toml")
