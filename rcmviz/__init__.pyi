"""The public names and their homes: one line each, read by type checkers and by ``__init__.py``."""

from rcmviz import plot as plot
from rcmviz.ars import ars_decode as ars_decode
from rcmviz.ars import ars_kbest as ars_kbest
from rcmviz.ars import ars_sample as ars_sample
from rcmviz.batch import infer_batch as infer_batch
from rcmviz.build import beam as beam
from rcmviz.build import exact as exact
from rcmviz.build import rcms as rcms
from rcmviz.classifier import SequenceClassifier as SequenceClassifier
from rcmviz.graph import to_networkx as to_networkx
from rcmviz.hmm import HMM as HMM
from rcmviz.infer import entropy as entropy
from rcmviz.infer import expected_counts as expected_counts
from rcmviz.infer import kbest as kbest
from rcmviz.infer import log_prob as log_prob
from rcmviz.infer import log_z as log_z
from rcmviz.infer import mass as mass
from rcmviz.infer import posterior as posterior
from rcmviz.infer import sample as sample
from rcmviz.infer import viterbi as viterbi
from rcmviz.lattice import Lattice as Lattice
from rcmviz.learn.settings import Training as Training
from rcmviz.learn.trainer import Trainer as Trainer
from rcmviz.learn.trainer import train as train
from rcmviz.lm.arpa import read_arpa as read_arpa
from rcmviz.lm.language_model import LanguageModel as LanguageModel
from rcmviz.lm.train import train_lm as train_lm
from rcmviz.model import NgramModel as NgramModel
from rcmviz.player.export import export_html as export_html
from rcmviz.problem import Problem as Problem
from rcmviz.problem_file import read_problem as read_problem
from rcmviz.sequence_file import read_sequences as read_sequences
from rcmviz.sequences import Sequences as Sequences
from rcmviz.shipped import load_lm as load_lm
from rcmviz.shipped import load_model as load_model
from rcmviz.shipped import load_tagger as load_tagger
from rcmviz.shipped import shipped_models as shipped_models
from rcmviz.store import read_lattice as read_lattice
from rcmviz.store import read_trace as read_trace
from rcmviz.trace import Trace as Trace

__version__: str
