"""An uploaded sequence with the model of a checkpoint, for the page *Your own example*."""

from pages.learn.checkpoint import method_of
from pages.word import runs
from pages.word.question import Options, Subject, WordQuestion
from rcmviz.core.problems.problem import Problem
from rcmviz.core.problems.problem_reader import MAX_TEXT


def own_example(data, training, number, checkpoint):
    """Return the link parameters of one held-out sequence of a file; ValueError if it is too large to show."""
    model, sequence = checkpoint.copy(), data.sequence(number)
    gold = sequence.gold.tolist()
    problem = Problem(
        model,
        sequence.log_emits(model.emission)[0],
        gold=tuple(model.labels[y] for y in gold) if min(gold) >= 0 else None,
        name=data.names[number],
        tokens=tuple(token[:MAX_TEXT] for token in data.tokens[number]),
        title=f"{data.names[number]}: {method_of(training).name} after {checkpoint.step:,} examples",
    )
    _, text = runs.compatible_problem(problem.to_json().encode(), "this sequence", None)
    entry = method_of(training).entry
    root = {"root_weight": model.root_weight} if "root_weight" in entry.options else {}
    options = Options(training.passes, training.deduplicate, **root)
    subject = Subject("problem", runs.pack_problem(text))
    return WordQuestion(subject, (method_of(training),), compares=True, options=options).write()
