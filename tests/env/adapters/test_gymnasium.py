import json
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

from configs.load import load_config
from env.adapters.gymnasium import PARSING_ID, GymnasiumConfig, Unicode
from env.parsing.open_game import open_game

SCRIPTS = [
    ['{"thought": "t", "action": "call_tool", "tool": "plain-text"}', '{"thought": "t", "action": "finish", "choice": "plain-text"}'],
    ['{"thought": "t", "action": "call_tool", "tool": "rot13"}', "?", '{"thought": "t", "action": "fail", "reason": "no"}'],
    ["", "\ud800", "x" * 10_000],
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two text files with references."""
    folder = tmp_path_factory.mktemp("corpus")
    rows = []
    for name, text in [("a", "The model learns the policy from what it has observed."), ("b", "Gur zbqry yrneaf gur cbyvpl.")]:
        (folder / f"{name}.txt").write_text(text)
        (folder / f"{name}.ref").write_text("The model learns the policy." if name == "b" else text)
        rows.append(json.dumps({"id": name, "path": f"{name}.txt", "ref": f"{name}.ref", "format": "txt", "split": "train"}))
    (folder / "manifest.jsonl").write_text("\n".join(rows))
    return folder


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache") / "results.sqlite"


@pytest.fixture
def environment(corpus: Path, cache: Path) -> Iterator[gymnasium.Env[str, str]]:
    made = gymnasium.make(PARSING_ID, corpus=str(corpus), overrides=(f"cache={cache}", "parsing.pool=source17"), render_mode="ansi")
    yield made
    made.close()


def test_gymnasiums_own_checker_is_content(environment: gymnasium.Env[str, str]) -> None:
    check_env(environment.unwrapped, skip_render_check=True)


def test_the_seed_draws_the_file_and_options_choose_it(environment: gymnasium.Env[str, str]) -> None:
    drawn = [environment.reset(seed=seed)[1]["task"] for seed in range(8)]
    assert set(drawn) == {"a", "b"}
    assert drawn == [environment.reset(seed=seed)[1]["task"] for seed in range(8)]
    assert environment.reset(options={"task": "b"})[1]["task"] == "b"


@pytest.mark.parametrize("script", SCRIPTS)
def test_core_and_gymnasium_give_the_same_bytes(environment: gymnasium.Env[str, str], corpus: Path, cache: Path, script: list[str]) -> None:
    config = load_config(GymnasiumConfig, [f"corpus={corpus}", f"cache={cache}", "parsing.pool=source17"], default="gymnasium.toml")
    with open_game(config, config.parsing) as opened:
        for file in opened.files:
            core = opened.game.environment()
            messages = core.reset(opened.game.task(file))
            observation, info = environment.reset(options={"task": file.id})
            assert observation == "\n\n".join(message.content for message in messages)
            assert info["messages"] == messages
            for text in script:
                step = core.step(text)
                observation, reward, terminated, truncated, info = environment.step(text)
                assert observation == step.observation
                assert (terminated or truncated) is step.done
                assert reward == (step.reward.total or 0.0)
                assert info["invalid"] is step.invalid
            assert core.last_step is not None
            assert info["metrics"] == core.last_step.metrics
            assert info["ending"] == core.last_step.ending


def test_the_transcript_can_be_rendered(environment: gymnasium.Env[str, str]) -> None:
    environment.reset(options={"task": "a"})
    environment.step("nonsense")
    rendered = environment.render()
    assert isinstance(rendered, str)
    assert "[assistant]\nnonsense" in rendered


def test_step_before_reset_says_what_is_missing(environment: gymnasium.Env[str, str]) -> None:
    with pytest.raises(gymnasium.error.ResetNeeded):
        environment.unwrapped.step("x")


def test_vector_environments_carry_text(corpus: Path, cache: Path) -> None:
    arguments = {"corpus": str(corpus), "overrides": (f"cache={cache}", "parsing.pool=source17")}
    vector = gymnasium.make_vec(PARSING_ID, num_envs=2, vectorization_mode="sync", **arguments)
    observations, _ = vector.reset(seed=0)
    assert all('"card"' in observation for observation in observations)
    observations, rewards, terminated, truncated, _ = vector.step(("?", "?"))
    assert list(observations) == ["the last step was invalid: " + observation.split(": ", 1)[1] for observation in observations]
    assert list(rewards) == [0.0, 0.0]
    assert not any(terminated)
    assert not any(truncated)
    vector.close()


@given(st.integers(0, 2**32 - 1))
def test_samples_belong_to_the_space_and_can_be_encoded(seed: int) -> None:
    space = Unicode(20, seed=seed)
    sample = space.sample()
    assert sample in space
    sample.encode()


def test_spaces_are_equal_by_length() -> None:
    assert Unicode(5) == Unicode(5)
    assert Unicode(5) != Unicode(6)
    assert "x" * 6 not in Unicode(5)
    assert 3 not in Unicode(5)
    assert repr(Unicode(5)) == "Unicode(5)"
    assert hash(Unicode(5)) == hash(Unicode(5))
