"""Help on the formats of a problem: an example of each to copy."""

import streamlit as st

JSON = """{"labels": ["calm", "storm"], "order": 1,
 "transitions": [[-0.1, -2.3], [-1.2, -0.4]],
 "log_emit": [[-1, 0], [null, 0], [-3, 0]],
 "tokens": ["1012", "1004", "987"],
 "gold": ["calm", "storm", "storm"],
 "title": "Three readings",
 "notes": {"3": "only now it is clear"}}"""
CSV = """calm,storm,gold,token
-0.7,-0.9,calm,1012
-inf,-0.6,storm,1004"""
TABLE = """before,calm,storm
^,-0.3,-1.4
calm,-0.1,-2.3
storm,-1.2,-0.4"""
NUMPY = """np.savez("problem.npz",
    logits=logits,  # positions × labels
    labels=np.array(["O", "B", "I"]),
    transitions=weights,  # from label × to label
    tokens=np.array(words), gold=np.array(tags))
np.save("logits.npy", logits)"""


def show_format():
    """Draw three tabs: JSON, CSV with a table of transitions, numpy."""
    json_tab, csv_tab, numpy_tab = st.tabs(["JSON", "CSV", "numpy"])
    with json_tab:
        _block(JSON)
        st.caption(
            "`log_emit`: a row per position, a log score per label. `null`, here and as a weight, is −∞: impossible. "
            "Instead of transitions, `windows` "
            'see more labels: `[["*", "a", "b"], -1.0]`, with `*` for a forgotten label and `^` before the start; or '
            "`model` names a shipped one. Only labels, order and `log_emit` are required."
        )
    with csv_tab:
        _block(CSV)
        st.caption(
            "Transitions are a second file: `^` is the start, `*` a forgotten label; both are optional. `-inf` forbids "
            "a transition."
        )
        _block(TABLE)
    with numpy_tab:
        _block(NUMPY)
        st.caption(
            "Logits may have a constant added to each row. For an `.npy`, labels are in a text file, one per line, and "
            "transitions in another `.npy`. Pickled arrays are refused."
        )
    st.caption("The full format: `docs/data.md`. Up to 200 positions and 500 labels here, 5 MB per file.")


def _block(text):
    st.code(text, language=None, wrap_lines=True)
