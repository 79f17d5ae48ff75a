"""The pages of the application, in the order of the navigation: one entry makes a page known everywhere."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A page: its folder, which is its address too, its ``title``, ``icon``, and what its button on Home says."""

    name: str
    title: str
    icon: str
    invitation: str = ""


ENTRIES = (
    Entry("home", "Home", "home"),
    Entry("lessons", "Lessons", "school", "Take the course"),
    Entry("step", "Step", "step_over", "Step through a word"),
    Entry("compare", "Compare", "compare_arrows", "Compare methods"),
    Entry("learn", "Learn", "model_training", "Train them live"),
    Entry("precision", "Precision", "query_stats", "Know when to believe"),
    Entry("ars", "ARS", "verified", "Prove it, or draw exactly"),
    Entry("decipher", "Decipher", "key", "Crack a cipher"),
    Entry("align", "Align", "graphic_eq", "Learn without the answer"),
    Entry("field", "Field", "blur_circular", "Learn a text all at once"),
    Entry("search", "Search", "account_tree", "Learn to search"),
    Entry("ctc", "CTC", "subtitles", "Read frames with CTC"),
    Entry("your_example", "Your own example", "edit_note", "Bring your own"),
)
