"""The one config loader: TOML in, `key=value` overrides on top, a frozen pydantic record out.

    python -m rollouts.teacher --config my.toml policy=openai policy.temperature=0.8

A file may name others to start from (`extends = ["parsing.toml"]`; looked up beside the file, then in this folder). A key whose name is a
folder here takes a preset: `policy=openai` means the table in `configs/policy/openai.toml`. Unknown keys are refused with "did you mean".
Why not an existing library: `docs/decisions/0001-config-loader.md`.
"""

import difflib
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

FOLDER = Path(__file__).parent
"""Where the shipped configuration files live."""

ConfigT = TypeVar("ConfigT", bound=BaseModel)
Table = dict[str, Any]


class ConfigError(Exception):
    """A setting is unknown, missing or out of range; the message names the key and what to do."""


def load_config(schema: type[ConfigT], argv: Sequence[str], *, default: str) -> ConfigT:
    """Read the configuration of one command.

    Args:
        schema: the frozen record to fill; its fields are the legal keys.
        argv: command-line arguments without the program name: `--config FILE`, `key=value`….
        default: file in this folder that is read when `--config` is not given.

    Raises:
        ConfigError: unreadable file, unknown or missing key, value of the wrong type.
    """
    file, overrides = _split_arguments(argv, default)
    table = _read(file)
    for key, value in overrides:
        _set(table, key, value)
    _expand_presets(table)
    return build_config(schema, table)


def answer_help(argv: Sequence[str], *, usage: str, default: str) -> None:
    """On `--help`, print the usage and the default configuration with its comments, which document the keys, and exit.

    Apart from `load_config`, so that a command can answer before it imports what its schema needs.

    Raises:
        SystemExit: help was asked for.
    """
    if not {"-h", "--help"} & set(argv):
        return
    pending, texts = [FOLDER / default], []
    while pending:
        file = pending.pop(0)
        text = file.read_text(encoding="utf-8")
        pending += [FOLDER / name for name in tomllib.loads(text).get("extends", [])]
        texts.append(f"# ---- configs/{file.relative_to(FOLDER).as_posix()}\n{text.strip()}")
    presets = ", ".join(sorted(f"{path.parent.name}={path.stem}" for path in FOLDER.glob("*/*.toml")))
    sys.stdout.write(f"{usage.strip()}\n\nKeys and defaults (override with key=value; presets: {presets}):\n\n" + "\n\n".join(texts) + "\n")
    raise SystemExit(0)


def build_config(schema: type[ConfigT], table: Table) -> ConfigT:
    """Validate a table that is complete already, e.g. the `config.json` of a run."""
    try:
        return schema.model_validate(table)
    except ValidationError as error:
        raise ConfigError("\n".join(_explain(problem, schema) for problem in error.errors())) from error


def _split_arguments(argv: Sequence[str], default: str) -> tuple[Path, list[tuple[str, Any]]]:
    file, overrides, rest = FOLDER / default, [], list(argv)
    while rest:
        argument = rest.pop(0)
        if argument == "--config":
            if not rest:
                raise ConfigError("--config needs a file")
            file = Path(rest.pop(0))
        elif argument.startswith("--config="):
            file = Path(argument.removeprefix("--config="))
        else:
            key, separator, value = argument.partition("=")
            if not separator or key.startswith("-"):
                raise ConfigError(f"argument {argument!r} is neither --config FILE nor key=value; see --help")
            overrides.append((key, _parse_value(value)))
    return file, overrides


def _parse_value(text: str) -> Any:
    """A TOML value where it is one (`3`, `true`, `["a"]`), else the plain string, so that paths need no quotes."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _read(file: Path) -> Table:
    """One file on top of those it extends."""
    path = file if file.is_file() else FOLDER / file
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"config file {file} does not exist; shipped: {', '.join(_shipped())}") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"config file {path} cannot be read: {error}") from error
    merged: Table = {}
    for name in table.pop("extends", []):
        beside = path.parent / name
        _merge(merged, _read(beside if beside.is_file() else FOLDER / name))
    _merge(merged, table)
    return merged


def _shipped() -> list[str]:
    return sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.toml"))


def _merge(base: Table, over: Table) -> None:
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            _merge(base[key], value)
        else:
            base[key] = value


def _set(table: Table, dotted: str, value: Any) -> None:
    *parents, last = dotted.split(".")
    for parent in parents:
        inner = table.setdefault(parent, {})
        if isinstance(inner, str):
            inner = table[parent] = _preset(parent, inner)
        if not isinstance(inner, dict):
            raise ConfigError(f"{dotted}: {parent} is a value, not a table")
        table = inner
    table[last] = value


def _expand_presets(table: Table) -> None:
    for key, value in table.items():
        if isinstance(value, str) and (FOLDER / key).is_dir():
            table[key] = _preset(key, value)


def _preset(key: str, name: str) -> Table:
    file = FOLDER / key / f"{name}.toml"
    if not (FOLDER / key).is_dir():
        raise ConfigError(f"{key} is a value, not a table")
    if not file.is_file():
        names = sorted(path.stem for path in (FOLDER / key).glob("*.toml"))
        raise ConfigError(f"unknown {key} {name!r}{_did_you_mean(name, names)}; there are {', '.join(names)}")
    return _read(file)


def _explain(problem: Any, schema: type[BaseModel]) -> str:
    location = [str(part) for part in problem["loc"]]
    key = ".".join(location)
    if problem["type"] == "extra_forbidden":
        return f"unknown key {key}{_did_you_mean(location[-1], _fields_at(schema, location[:-1]))}"
    if problem["type"] == "missing":
        return f"missing key {key}"
    return f"{key} = {problem['input']!r}: {problem['msg']}"


def _fields_at(schema: type[BaseModel], location: list[str]) -> list[str]:
    """Names of the fields of the (nested) model at `location`; several models where the place holds a union."""
    models: list[type[BaseModel]] = [schema]
    for part in location:
        inner = [model for outer in models if part in outer.model_fields for model in _models_in(outer.model_fields[part].annotation)]
        models = inner or models  # a union's tag is a part of pydantic's location, but no field
    return sorted({name for model in models for name in model.model_fields})


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models_in(argument)]


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
