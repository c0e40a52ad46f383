"""The agent that chooses points: its environment, its memory, its results; its training where PyTorch is installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casestudies.evaluation.evaluation import rows_of
from casestudies.sampling_agent.environment import Episodes
from casestudies.sampling_agent.grid import Grid, grid_of, paper_grid
from casestudies.sampling_agent.network import Network, drawn_network, read_network, write_network
from casestudies.sampling_agent.outcome import outcome_of
from casestudies.sampling_agent.policies import by_chance, by_value, heuristic, play
from casestudies.sampling_agent.replay import Replay
from casestudies.sampling_agent.settings import TrainingSettings
from casestudies.sampling_agent.tables import curve_csv, tables, validation_csv
from casestudies.sampling_agent.tasks import Generator, Modeler, Tasks
from casestudies.sampling_agent.train import HERE
from casestudies.sampling_agent.train import main as train_command
from casestudies.sampling_agent.validation import AGENT, CHANCE, HEURISTIC, validate, validation_rng
from casestudies.scaling_evaluation.sparse_functions import cheapest_first, functions
from splc.errors import InputError, SpecError
from splc.types import Array
from tests.support.examples import examples
from tests.support.golden_messages import check_calls
from tests.support.tracked import tracked

TRAINED = HERE / "trained"
SMALL = grid_of([[1.0, 2.0, 3.0]] * 2, [4.0, 4.0])


def needs_torch() -> None:
    """Skip a test where PyTorch is not installed, or cannot be loaded."""
    pytest.importorskip("torch", reason="PyTorch is not installed (extra `agent`)", exc_type=ImportError)


def draw_small(number: int, rng: np.random.Generator) -> Tasks:
    """Draw functions over the small grid: a product of powers, dearer with every parameter."""
    powers = rng.uniform(1, 3, (number, 1))
    values = SMALL.points.prod(axis=1)[None] ** powers
    truth = 16.0 ** powers[:, 0]
    measured = np.broadcast_to(truth[:, None, None], (*values.shape, 2))
    return Tasks(values / values.sum(axis=1, keepdims=True), measured, truth)


def counting(needed: int) -> Modeler:
    """Return a modeler that is right as soon as it knows so many points: all that is measured is the truth."""

    def modeler(points: Array, measured: Array, target: Array) -> Array:
        assert target.shape == (1, points.shape[1])
        assert measured.shape[1] == len(points)
        known = (~np.isnan(measured).all(axis=2)).sum(axis=1)
        return np.where(known >= needed, np.nanmax(measured, axis=(1, 2)), -1.0)

    return modeler


def never(points: Array, measured: Array, target: Array) -> Array:
    """Model all functions by a wrong number."""
    return np.full(len(measured), -1.0)


def test_grid_of_the_paper() -> None:
    """There are 125 points, 25 lines of five along each parameter, and every point lies on one line of each."""
    grid = paper_grid()
    assert (len(grid.points), grid.actions, grid.inputs) == (125, 200, 128)
    assert np.bincount(grid.phases).tolist() == [25, 25, 25, 125]
    for at in range(3):
        lines = grid.takes[grid.phases == at]
        assert (lines.sum(axis=0) == 1).all()
        for line in lines:
            along = grid.points[line]
            assert len(np.unique(along[:, at])) == len(along) == 5
            assert (np.delete(along, at, axis=1) == np.delete(along, at, axis=1)[0]).all()
    assert (grid.takes[grid.phases == 3] == np.eye(125, dtype=bool)).all()


def test_wrong_grids_and_settings() -> None:
    """Grids without lines, training with nothing to learn from, and functions that cannot be drawn are refused."""
    check_calls("sampling-agent", grid_of, TrainingSettings, Generator)


@given(seed=st.integers(0, 2**32 - 1), number=st.integers(1, 6), most_single=st.integers(0, 6))
@examples(40)
def test_laws_of_episodes(seed: int, number: int, most_single: int) -> None:
    """Costs and points are those of what was taken, no action takes nothing, phases follow each other, all ends."""
    rng = np.random.default_rng(seed)
    tasks = draw_small(number, rng)
    episodes = Episodes(SMALL, tasks, never, most_single=most_single)
    policy, taken = by_chance(rng), np.zeros((number, 9), dtype=bool)
    for step in range(100):
        if episodes.done.all():
            break
        allowed = episodes.allowed()
        assert (allowed.any(axis=1) == ~episodes.done).all()
        assert (SMALL.phases[np.nonzero(allowed)[1]] == min(step, 2)).all()
        actions = policy(episodes)
        running, adds = ~episodes.done, episodes.added_costs()[np.arange(number), actions]
        before = episodes.costs
        rewards = episodes.step(actions)
        for row in np.flatnonzero(running):
            new = SMALL.takes[actions[row]] & ~taken[row]
            assert new.any()
            taken[row] |= new
            assert episodes.costs[row] == pytest.approx(tasks.costs[row][taken[row]].sum())
            assert episodes.costs[row] - before[row] == pytest.approx(adds[row])
            assert rewards[row] == pytest.approx(1 - episodes.costs[row])
        assert (rewards[~running] == 0).all()
        assert (episodes.taken == taken).all()
        states = episodes.states()
        assert states.shape == (number, SMALL.inputs)
        assert (states[:, :9] == taken).all()
        assert ((states >= 0) & (states <= 1 + 1e-6)).all()
    assert episodes.done.all()
    assert not episodes.accurate.any()
    assert (episodes.points <= 9).all()
    # Two lines of three cross in one point, which leaves four single ones.
    assert (episodes.steps == 2 + min(most_single, 4)).all()


def test_forbidden_actions_change_nothing() -> None:
    """An action of another phase, or one that takes nothing new, is an error, and the episode is as before."""
    episodes = Episodes(SMALL, draw_small(1, np.random.default_rng(0)), never)
    for wrong in (3, 6):
        with pytest.raises(SpecError, match="not allowed"):
            episodes.step(np.array([wrong]))
    assert episodes.steps.tolist() == episodes.points.tolist() == [0]
    episodes.step(np.array([0]))
    episodes.step(np.array([3]))
    again = int(np.flatnonzero(SMALL.takes[6:] @ episodes.taken[0])[0]) + 6
    with pytest.raises(SpecError, match="not allowed"):
        episodes.step(np.array([again]))
    with pytest.raises(SpecError, match="grid of 125"):
        Episodes(paper_grid(), draw_small(1, np.random.default_rng(0)), never)


def test_episodes_end_when_the_model_is_good() -> None:
    """Episodes stop at the first good model, and those beside them go on."""
    tasks = draw_small(4, np.random.default_rng(1))
    for needed in (5, 6, 8):
        episodes = Episodes(SMALL, tasks, counting(needed))
        steps = play(episodes, heuristic)
        assert episodes.accurate.all()
        assert (episodes.points == needed).all()
        assert episodes.modelled == 4 * (needed - 4)
        assert (episodes.steps == needed - 3).all()
        assert len(steps) == 4 * (needed - 3)
        assert (steps.next_allowed.any(axis=1) == (np.arange(len(steps)) < len(steps) - 4)).all()


def test_heuristic_is_the_evaluations_order() -> None:
    """The heuristic takes the points in the order of the sparse evaluation, and its costs are those."""
    grid, generator = paper_grid(), Generator()
    drawn = functions(3, 30, np.random.default_rng(5))
    tasks = generator(30, np.random.default_rng(5))
    costs = drawn.points[:, 0] * drawn.values
    episodes = Episodes(grid, tasks, never, most_single=7)
    steps = play(episodes, heuristic)
    for row in range(30):
        first = cheapest_first(drawn.points, costs[row])[:20]
        assert set(np.flatnonzero(episodes.taken[row])) == set(first)
        assert episodes.costs[row] == pytest.approx(costs[row][first].sum() / costs[row].sum())
    outcome = outcome_of(episodes, steps)
    assert outcome.cheapest.all()
    assert outcome.line_ranks.max() == outcome.single_ranks.max() == 0
    assert (outcome.points == 20).all()


def transitions_of(number: int, seed: int) -> Any:
    """Return steps of episodes by chance."""
    rng = np.random.default_rng(seed)
    return play(Episodes(SMALL, draw_small(number, rng), never), by_chance(rng))


def test_replay_draws_by_priority() -> None:
    """Transitions come as often as their priority says, and weights undo it, the rarest having weight 1."""
    steps = transitions_of(2, 0).part(np.arange(4))
    replay = Replay(10, SMALL.inputs, SMALL.actions, alpha=1.0)
    replay.add(steps)
    replay.surprised(np.arange(4), np.array([0.0, 1.0, 2.0, 5.0]) - 1e-3)
    rows, weights = replay.draw(40_000, 1.0, np.random.default_rng(0))
    # |0 - 0.001| + 0.001 is what a transition without surprise has.
    shares = np.array([0.002, 1.0, 2.0, 5.0]) / 8.002
    assert np.bincount(rows, minlength=4) / 40_000 == pytest.approx(shares, abs=0.01)
    products = weights * shares[rows]
    assert products.max() == pytest.approx(products.min())
    assert weights.max() == 1
    assert replay.draw(5, 0.0, np.random.default_rng(0))[1].tolist() == [1] * 5


def test_network_is_written_and_read(tmp_path: Path) -> None:
    """A network reads back as it was written, the same one gives the same bytes, and anything else is an error."""
    network = drawn_network((5, 4, 3), np.random.default_rng(0))
    for name in ("a.npz", "b.npz"):
        write_network(tmp_path / name, network)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    states = np.random.default_rng(1).random((7, 5))
    assert (read_network(tmp_path / "a.npz").values(states) == network.values(states)).all()
    (first, shift), (second, last) = network.layers
    by_hand = [second @ np.clip(first @ state + shift, 0, None) + last for state in states]
    assert network.values(states) == pytest.approx(np.array(by_hand))
    for content in (b"", b"text", (tmp_path / "a.npz").read_bytes()[:200]):
        (tmp_path / "c.npz").write_bytes(content)
        with pytest.raises(InputError, match="no network"):
            read_network(tmp_path / "c.npz")


@pytest.fixture(scope="module")
def committed() -> tuple[Grid, Network, TrainingSettings, Generator]:
    """Return the committed agent, and how it was trained."""
    config = json.loads((TRAINED / "config.json").read_text(encoding="utf-8"))
    own: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in config["settings"].items()
    }
    return paper_grid(), read_network(TRAINED / "agent.npz"), TrainingSettings(**own), Generator(**config["functions"])


def test_committed_agent_is_the_one_of_the_page(committed: tuple[Grid, Network, TrainingSettings, Generator]) -> None:
    """The committed agent reaches on its functions what the committed table says, as does the heuristic."""
    grid, network, chosen, generator = committed
    rows = {row["policy"]: row for row in rows_of(TRAINED / "validation.csv")}
    number = rows[AGENT]["functions"]
    tasks = generator(number, validation_rng(chosen.seed))
    # After three lines nearly all models are good, so that costs can be told without making them.
    lines = {name: Episodes(grid, tasks, never, chosen.band, 0) for name in (AGENT, HEURISTIC)}
    for name, policy in ((AGENT, by_value(network)), (HEURISTIC, heuristic)):
        outcome = outcome_of(lines[name], play(lines[name], policy))
        assert 100 * outcome.costs.mean() == pytest.approx(rows[name]["cost_percent"], rel=0.05)
        assert 100 * outcome.cheapest.mean() == pytest.approx(rows[name]["cheapest_lines_percent"], abs=1)
    page = (HERE / "README.md").read_text(encoding="utf-8")
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if "|" in line]
    for name, row in rows.items():
        cells = next(cells for cells in table if cells[0] == name)
        wanted = [row[each] for each in ("accurate_percent", "reward", "cost_percent", "points")]
        assert [float(cell) for cell in cells[1:5]] == pytest.approx(wanted, rel=2e-4, abs=0.0051)


def test_command_without_torch(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without PyTorch the command says what to install."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert train_command([]) == 2
    assert "pip install 'splc[agent]'" in capsys.readouterr().err


def test_agent_computes_what_its_network_says() -> None:
    """The trained network and the one that is written give the same values, before and after updates."""
    needs_torch()
    import torch

    from casestudies.sampling_agent.agent import Agent

    agent = Agent(SMALL.inputs, SMALL.actions, TrainingSettings(hidden=(8, 8)), np.random.default_rng(0))
    replay = Replay(50, SMALL.inputs, SMALL.actions, 0.6)
    steps = transitions_of(5, 0)
    replay.add(steps)
    before = agent.network()
    losses = [agent.learn(replay, 0.5, 1e-3) for _ in range(300)]
    states = steps.states
    assert np.mean(losses[-50:]) < np.mean(losses[:50])
    assert agent._online(torch.tensor(states)).detach().numpy() == pytest.approx(agent.network().values(states), 1e-5)
    assert not np.allclose(before.values(states), agent.network().values(states))
    agent.become(before)
    assert (agent.network().values(states) == before.values(states)).all()


def test_training_finds_the_cheapest_lines() -> None:
    """On a small grid the agent learns the heuristic's lines, and the same seed gives the same curve and tables."""
    needs_torch()
    from casestudies.sampling_agent.training import train

    chosen = TrainingSettings(seed=1, epochs=12, episodes=60, compared=30, hidden=(16, 16), rate=3e-3, side_by_side=10)
    epochs = list(train(SMALL, draw_small, counting(5), chosen))
    assert epochs[-1].best is not epochs[0].best
    tasks = draw_small(100, np.random.default_rng(9))
    found = validate(SMALL, tasks, counting(5), epochs[-1].best, chosen)
    agent, chance, rule = (found.outcomes[name] for name in (AGENT, CHANCE, HEURISTIC))
    assert rule.cost <= agent.cost < 0.7 * chance.cost
    assert epochs[-1].trained.reward > epochs[0].trained.reward
    assert "cheapest" in tables(found)
    again = list(train(SMALL, draw_small, counting(5), chosen))
    assert curve_csv(again) == curve_csv(epochs)
    assert validation_csv(found.outcomes).count("\n") == 6


def test_command_writes_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command writes the curve, the validation, both pictures, the agent, its settings and the page's tables."""
    needs_torch()
    monkeypatch.setattr("casestudies.sampling_agent.train.HERE", tmp_path)
    (tmp_path / "README.md").write_text("<!-- begin outcome -->\n<!-- end outcome -->\n", encoding="utf-8")
    assert train_command(["--epochs", "2", "--episodes", "4", "--side-by-side", "4", "--functions", "5"]) == 0
    assert {path.name for path in (tmp_path / "trained").iterdir()} == {path.name for path in tracked(TRAINED)}
    assert len(rows_of(tmp_path / "trained" / "curve.csv")) == 2
    assert "| heuristic |" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert train_command(["--epochs", "1"]) == 2
