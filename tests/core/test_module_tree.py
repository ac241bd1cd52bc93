"""The tree of modules: sums, names, what is shown as one row, order, search."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.model import Role
from optmem_gui.core.module_tree import MAX_DEPTH, ROOT, ModuleTree, TensorKind

WEIGHT = TensorKind("parameter", Role.ATTENTION, (4, 8), "bf16", "bf16", 32, 64)
NORM = TensorKind("frozen", Role.NORM, (8,), "fp32", "fp32", 8, 32)
STEP = TensorKind("buffer", Role.OTHER, (), "int64", "int64", 0, 8)
KINDS = (WEIGHT, NORM, STEP)


def labels(tree: ModuleTree, node: int = ROOT) -> list[str]:
    return [tree.label(child) for child in tree.children(node)]


def test_sums_types_and_parts_of_a_model_by_hand() -> None:
    tree = ModuleTree(["a.x.weight", "a.y.weight", "a.y.step", "norm.weight"], [0, 0, 2, 1], KINDS)
    assert tree.tensor_counts[ROOT] == 4
    assert tree.param_counts[ROOT] == 32 + 32 + 8
    assert tree.stored_bytes[ROOT] == 64 + 64 + 8 + 32
    inner, norm = tree.children(ROOT)
    assert (tree.path(inner), tree.param_counts[inner], tree.stored_bytes[inner]) == ("a", 64, 136)
    assert tree.dtypes(inner) == ("bf16", "int64")
    assert tree.parts(inner) == ("parameter", "buffer")
    assert tree.kind(norm) == NORM
    assert tree.kind(inner) == WEIGHT  # what takes most of it
    assert not tree.is_tensor(inner)


def test_a_module_with_one_tensor_is_one_row() -> None:
    tree = ModuleTree(["m.q_proj.weight", "m.mlp.up.weight", "m.mlp.down.weight"], [0, 0, 0], KINDS)
    (m,) = tree.children(ROOT)
    assert labels(tree, m) == ["q_proj.weight", "mlp"]
    assert labels(tree, tree.children(m)[1]) == ["up.weight", "down.weight"]
    assert all(tree.parent(child) == m for child in tree.children(m))
    assert tree.parent(m) == ROOT


def test_numbered_modules_stand_in_order_of_their_numbers_and_others_as_in_the_file() -> None:
    names = [f"layers.{n}.{leaf}.weight" for n in (0, 1, 10, 11, 2) for leaf in ("v", "q")]
    tree = ModuleTree(names, [0] * len(names), KINDS)
    (layers,) = tree.children(ROOT)
    assert labels(tree, layers) == ["0", "1", "2", "10", "11"]
    assert labels(tree, tree.children(layers)[0]) == ["v.weight", "q.weight"]


def test_names_of_tensorflow_are_parted_at_slashes() -> None:
    tree = ModuleTree(["dense/kernel", "dense/bias", "out/kernel"], [0, 1, 0], KINDS)
    assert labels(tree) == ["dense", "out/kernel"]


def test_a_tensor_and_a_module_can_have_one_name() -> None:
    tree = ModuleTree(["a.b", "a.b.c", "a.b.d"], [0, 0, 0], KINDS)
    (a,) = tree.children(ROOT)
    assert [(tree.label(n), tree.is_tensor(n), tree.tensor_counts[n]) for n in tree.children(a)] == [
        ("b", True, 1),
        ("b", False, 2),
    ]


def test_a_name_of_ten_thousand_parts_is_no_deep_tree() -> None:
    tree = ModuleTree(["x." * 10_000 + "w", "y.w"], [0, 0], KINDS)
    assert len(tree) <= MAX_DEPTH + 5
    assert tree.tensor_counts[ROOT] == 2


def test_search_finds_every_word_in_any_order() -> None:
    names = ["layers.7.mlp.up.weight", "layers.7.attn.q.weight", "layers.17.mlp.UP.weight"]
    tree = ModuleTree(names, [0, 0, 0], KINDS)
    assert [tree.path(node) for node in tree.find("up 7.")] == [names[0], names[2]]
    assert tree.find("  ") == []
    assert tree.find("zebra") == []


PART = st.sampled_from(["a", "b", "0", "1", "12", "weight"])
NAMES = st.lists(st.lists(PART, min_size=1, max_size=5).map(".".join), max_size=40, unique=True)


@given(NAMES, st.data())
def test_every_node_is_the_sum_of_what_is_shown_under_it(names: list[str], data: st.DataObject) -> None:
    places = [data.draw(st.integers(0, 2)) for _ in names]
    tree = ModuleTree(names, places, KINDS)
    assert tree.param_counts[ROOT] == sum(KINDS[place].param_count for place in places)
    found: list[str] = []
    waiting = [ROOT]
    while waiting:
        node = waiting.pop()
        below = tree.children(node)
        if tree.is_tensor(node):
            found.append(tree.path(node))
            assert below == ()
            continue
        for sums in (tree.tensor_counts, tree.param_counts, tree.stored_bytes):
            assert sums[node] == sum(sums[child] for child in below)
        for child in below:
            assert tree.parent(child) == node
            assert tree.shown(child) == child
        waiting += below
    assert sorted(found) == sorted(names)
