"""A small network on English sentences under three output layers: none, a linear chain, and windows kept by RCMS.

    PYTHONPATH=. python benchmarks/network.py [--tasks UPOS chunks] [--seeds 3] [--epochs 6] [--sentences 500]
                                              [--json results.json]

The network sees a word, its first and last letters and its neighbours: embeddings and one convolution. Its scores of
the labels are answered one by one (softmax), or by a layer that is learnt with it: log weights of pairs under exact
inference, which is the linear-chain conditional random field, or of three and of four labels under RCMS. All else is
equal: the seed, the order of the sentences, the number of epochs. They learn from UD-EWT's training file and are tested
on the other, which tuned nothing. Needs PyTorch and ``rcmviz data get ud_ewt``.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from classifier import FORM, PARTS, TASKS, XPOS, labels
from rich.console import Console
from rich.table import Table
from torch import nn

import rcmviz as rv
from rcmviz.data.registry import need
from rcmviz.torch import NgramLayer

LAYERS = {
    "softmax": lambda labels: None,
    "linear chain": lambda labels: NgramLayer(labels, order=1, method="exact"),
    "RCMS 10, order 2": lambda labels: NgramLayer(labels, order=2, budget=10),
    "RCMS 20, order 3": lambda labels: NgramLayer(labels, order=3, budget=20),
}
PARTS_OF_WORDS = (str.lower, lambda word: word[:1], lambda word: word[-2:], lambda word: word[-3:])
SIZES, HIDDEN, BATCH, RATE, DROPPED = (64, 16, 32, 32), 128, 32, 2e-3, 0.3


class Network(nn.Module):
    """Scores of Y labels from the parts of words, (N, T, 4) → (N, T, Y)."""

    def __init__(self, known, width):
        super().__init__()
        self.parts = nn.ModuleList(nn.Embedding(len(k) + 1, size) for k, size in zip(known, SIZES, strict=True))
        self.around = nn.Conv1d(sum(SIZES), HIDDEN, 3, padding=1)
        self.dropout, self.scores = nn.Dropout(DROPPED), nn.Linear(HIDDEN, width)

    def forward(self, words):
        seen = torch.cat([part(words[..., k]) for k, part in enumerate(self.parts)], dim=-1)
        return self.scores(self.dropout(torch.relu(self.around(self.dropout(seen).mT).mT)))


def load(task, sentences):
    """For each file pairs of a sentence's words and labels."""
    paths = (need("ud_ewt", f"en_ewt-ud-{part}.conllu") for part in PARTS)
    files = [rv.read_sequences(path, label=XPOS, columns=[FORM]) for path in paths]
    words = ([file.column(FORM, w) for w in range(len(file))][:sentences] for file in files)
    return [list(zip(each, labels(file, task), strict=False)) for file, each in zip(files, words, strict=True)]


def numbered(words, known):
    """Parts of words (T, 4) by their numbers; 0 for one that is not known."""
    found = [[k.get(part(word), 0) for part, k in zip(PARTS_OF_WORDS, known, strict=True)] for word in words]
    return torch.tensor(found)


def run(layer_name, train, test, names, seed, epochs):
    """Train once: accuracy, share of whole sentences, and seconds of the processor for an epoch."""
    torch.manual_seed(seed)
    counted = [np.unique([part(word) for words, _ in train for word in words], return_counts=True)
               for part in PARTS_OF_WORDS]  # fmt: skip
    known = [{part: n for n, part in enumerate(parts[count > 1].tolist(), 1)} for parts, count in counted]
    number = {name: y for y, name in enumerate(names)}
    inputs = [numbered(words, known) for words, _ in train]
    answers = [torch.tensor([number[label] for label in answer]) for _, answer in train]
    network, layer = Network(known, len(names)), LAYERS[layer_name](names)
    learnt = [*network.parameters(), *(layer.parameters() if layer else ())]
    optimiser, begun = torch.optim.Adam(learnt, RATE), time.process_time()
    for _ in range(epochs):
        for chosen in torch.randperm(len(inputs)).split(BATCH):
            lengths = [len(inputs[n]) for n in chosen]
            padded = nn.utils.rnn.pad_sequence([inputs[n] for n in chosen], batch_first=True)
            gold = nn.utils.rnn.pad_sequence([answers[n] for n in chosen], batch_first=True, padding_value=-100)
            scores = network(padded)
            if layer is None:
                loss = nn.functional.cross_entropy(scores.mT, gold)
            else:
                loss = layer(scores, gold, lengths).sum() / sum(lengths)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    seconds = (time.process_time() - begun) / epochs
    network.eval()
    return judged(network, layer, [(numbered(words, known), answer) for words, answer in test], names) | {"s": seconds}


@torch.no_grad()
def judged(network, layer, test, names):
    """Accuracy and the share of sentences that are right as a whole."""
    right = []
    for words, answer in test:
        scores = network(words[None])
        found = scores[0].argmax(dim=1) if layer is None else layer.decode(scores)[0]
        right.append([names[y] == label for y, label in zip(found.tolist(), answer, strict=True)])
    return {"accuracy": float(np.mean(np.concatenate(right))), "sentences": float(np.mean([all(one) for one in right]))}


def table(task, rows):
    """The rows of a task: mean and half the range over the seeds."""
    found = Table(title=task)
    for head in ("", "labels right", "sentences right", "s of CPU an epoch"):
        found.add_column(head, justify="right" if head else "left")
    for name, runs in rows.items():
        numbers = ([one[key] for one in runs] for key in ("accuracy", "sentences", "s"))
        found.add_row(name, *(f"{np.mean(each):.4g} ± {np.ptp(each) / 2:.2g}" for each in numbers))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=["UPOS", "chunks"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--sentences", type=int, help="so many of each file, to try it")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    found = {task: {name: [] for name in LAYERS} for task in arguments.tasks}
    for task, rows in found.items():
        train, test = load(task, arguments.sentences)
        names = sorted({label for _, answer in train for label in answer})
        for seed in range(arguments.seeds):
            for name, runs in rows.items():
                runs.append(run(name, train, test, names, seed, arguments.epochs))
                if arguments.json:
                    arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        Console(width=100).print(table(task, rows))


if __name__ == "__main__":
    main()
