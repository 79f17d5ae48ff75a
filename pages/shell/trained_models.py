"""Models of trainings by the name of a checkpoint: from the memory of a run, or trained again."""

import rcmviz as rv
from pages.learn.checkpoint import read_checkpoint
from pages.learn.data import load_data
from rcmviz.jobs.host import this_host
from rcmviz.jobs.replay import retrained
from rcmviz.jobs.sequences import seconds_needed

LONGEST = 20.0  # seconds that a link may make the server train


def is_checkpoint(name):
    """Whether a model's name has the form of a checkpoint."""
    return "," in name


def known_models(query):
    """Return the models that a link may name: the shipped ones and the checkpoint that it names, if any."""
    try:
        read_checkpoint(query.get("model", ""))
    except ValueError:
        return rv.shipped_models()
    return [*rv.shipped_models(), query["model"]]


def trained_model(name):
    """Return the model of a checkpoint; ValueError if training takes too long or its data is missing."""
    source, training, step = read_checkpoint(name)
    for checkpoint in this_host().checkpoints(str(source), training):
        if checkpoint.step == step:
            return checkpoint.copy()
    data = load_data(source)
    if step > training.epochs * len(data.train):
        raise ValueError(f"step {step:,} is after the end of its training; open it on Learn and choose another")
    seconds = seconds_needed(data.train, training) * step / (training.epochs * len(data.train))
    if seconds > LONGEST:
        raise ValueError(
            f"this checkpoint is no longer in memory, and training it again would take about {seconds:,.0f} s; "
            "train it on Learn and open the checkpoint from there"
        )
    return retrained(data.train, training, step, data.info)


def steps_in_memory(name):
    """Return the steps of the checkpoints in memory of the same training, ascending."""
    source, training, _ = read_checkpoint(name)
    return [checkpoint.step for checkpoint in this_host().checkpoints(str(source), training)]
