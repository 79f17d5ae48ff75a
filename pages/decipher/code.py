"""Python source that reads the same cipher in a notebook."""

from pages.decipher.run import ROUND
from pages.decipher.texts import LETTERS_MODEL, OWN


def reproducing_code(puzzle):
    """Return the source; pasted texts have to be saved next to it."""
    lines = _letters(puzzle) if puzzle.kind == "letters" else _words(puzzle)
    return "\n".join(lines) + "\n"


def _letters(puzzle):
    plain = puzzle.text != OWN or puzzle.plain
    text = f"TEXTS[{puzzle.text!r}]" if puzzle.text != OWN else repr(puzzle.own)
    reader = f"encipher_text({text}, seed={puzzle.seed})" if plain else f"read_cryptogram({text})"
    lines = ["import rcmviz as rv", f"from rcmviz.tasks.decipher.letters import Solver, {reader.split('(')[0]}"]
    if puzzle.text != OWN:
        lines.append("from rcmviz.tasks.decipher.texts import TEXTS")
    lines += ["", f"cryptogram = {reader}", f'lm = rv.load_lm("{LETTERS_MODEL}")']
    for method in puzzle.methods:
        options = f"{method.kind!r}, {method.budget}, order={puzzle.letters}, passes={ROUND}{_pins(puzzle)}"
        lines += [
            f"for guess in Solver(cryptogram, lm, {options}, seed={puzzle.seed}).run(rounds=3):",
            "    print(guess.number, guess.stage, guess.accuracy, guess.text[:70])",
        ]
    return lines


def _words(puzzle):
    made = {
        "grammar": ("grammar_cipher", f"grammar_cipher(seed={puzzle.seed})"),
        "tatoeba": ("tatoeba_cipher", f"tatoeba_cipher(seed={puzzle.seed})"),
        OWN: ("text_cipher", f'text_cipher("your-sentences.txt", seed={puzzle.seed})'),
    }[puzzle.sentences]
    lines = [
        f"from rcmviz.tasks.decipher.words import {made[0]}",
        "from rcmviz.tasks.decipher.symbols import Decipherment",
        "",
        f"cipher = {made[1]}",
    ]
    for method in puzzle.methods:
        options = f"{method.kind!r}, {method.budget}, order={puzzle.words}, reading={puzzle.reading!r}{_pins(puzzle)}"
        lines += [
            f"for state in Decipherment(cipher, {options}).run(20):",
            "    print(state.number, state.by_type, state.by_token, state.mean_length)",
        ]
    return lines


def _pins(puzzle):
    return f", pins={dict(puzzle.pins)!r}" if puzzle.pins else ""
