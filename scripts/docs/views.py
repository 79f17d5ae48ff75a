"""The views of the gallery."""

# (name of the file, title, caption, link)
VIEWS = (
    (
        "sure-and-wrong",
        "Sure, and wrong",
        "Beam search drops the right beginning at position 5 and is sure of another word; RCMS merges it.",
        "compare?word=consider&seed=15&runs=beam:4,rcms:4&pos=5&node=consi",
    ),
    (
        "long-memories",
        "Long memories on a small budget",
        "Where few beginnings are likely, ten contexts hold almost the whole word so far.",
        "step?word=presentation&seed=3&pos=8",
    ),
    (
        "one-word-one-sum",
        "A word, a model, a sum",
        "Four pictures that mislead and a word that is right: every number is a sum that can be opened.",
        "step?src=pen&word=king&seed=35&method=exact&pos=3&node=kin",
    ),
    (
        "two-proofs",
        "The T9 urn",
        "Digits on an old phone could mean millions of messages. Every rejection lowers a bound, until one is proved.",
        "ars?tab=keypad&message=3637+843+66639+39478+*",
    ),
    (
        "garden-path",
        "A garden path",
        "Parts of speech of a sentence that leads readers astray.",
        "ars?tab=tagging&sentence=The+old+man+the+boats+.&order=5",
    ),
    (
        "sounds-and-letters",
        "Sounds and letters",
        "Which letters belong to which sound? Cell by cell, every alignment at once.",
        "align?word=night",
    ),
    (
        "when-to-believe",
        "When to believe an answer",
        "Move the slider: the less is answered, the more of it is right, up to a ceiling that beam search cannot pass.",
        "precision?words=200&runs=rcms:10,beam:10",
    ),
    (
        "a-field-as-a-star",
        "A field folded into a star",
        "A model of a whole text whose cost does not know the text's length.",
        "field?view=lifting",
    ),
    (
        "fill-the-blank",
        "Fill the blank, from both sides",
        "A word is missing; what stands before and behind it votes.",
        "field?view=blank",
    ),
    (
        "equal-work",
        "Search at equal work",
        "A star search, beam search and RCMS may extend equally many beginnings. Who finds the best word first?",
        "search?view=search&of=word",
    ),
)
ELSEWHERE = (
    (
        "Train them live",
        "Three methods learn handwriting next to each other; any moment can be stepped through.",
        "learn",
    ),
    ("Crack a cipher", "EM reads a message pass by pass; pin known letters and continue.", "decipher"),
)
