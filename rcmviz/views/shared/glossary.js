// @ts-check
// The words that explain themselves, the one source of their sentences. The braces and all between them are JSON, which
// words.py reads too; docs/glossary.md begins each of their entries with the same sentence, and a test compares them.
// "forms" are other ways to write a word; a plural with s needs none. Of a word that everyday language has too, "only"
// lists the phrases in which it is meant.

export const GLOSSARY = {
  "label": { "is": "what is predicted at a position: a letter, a word, a tag." },
  "position": { "is": "a place of the input, 1 … T, where one label is to be found." },
  "output": { "is": "one label per position." },
  "gold": { "is": "the right output, where it is known." },
  "decoded": { "is": "the output that a method finds most probable, its answer." },
  "emission": { "is": "how well a label fits what was observed there, such as the pixels of a letter, as a log." },
  "window": { "is": "the last n labels and the next one; the model has a weight for how well they go together." },
  "context": {
    "is": "the last labels of what was written so far, as many as are remembered: *ol; all before is forgotten."
  },
  "complete history": {
    "is": "a context that has forgotten nothing; written without a star.",
    "forms": ["full history"]
  },
  "root": { "is": "the context that has forgotten everything, written *." },
  "ancestor": { "is": "a context that another one ends in: *l is an ancestor of *ol." },
  "least ancestor": { "is": "the longest ancestor that exists: moving there forgets the least." },
  "candidate": { "is": "a context extended by one label: what could become a context at the next position." },
  "mass": {
    "is": "a sum of exp(score) over outputs, here as a share of all that was proposed at the position.",
    "forms": ["masses"]
  },
  "forward mass": {
    "is": "the mass of all beginnings of outputs that a context or candidate carries.",
    "forms": ["forward"]
  },
  "backward mass": { "is": "the mass of all ways from a context to the end of the output." },
  "posterior mass": {
    "is": "the probability that the output goes through a context: forward × backward mass / Z.",
    "forms": ["posterior", "posteriors"]
  },
  "own mass": { "is": "the mass of a context alone, without the contexts that end in it." },
  "subtree mass": {
    "is": "the mass of a context together with that of all contexts that end in it.",
    "forms": ["subtree"]
  },
  "growth": { "is": "the factor by which all mass together changed from one position to the next." },
  "budget": { "is": "how many candidates may become contexts at a position, the root not counted." },
  "rank": { "is": "the place of a candidate when the highest mass, or estimated posterior, comes first." },
  "estimated posterior": {
    "is": "what several passes rank candidates by: mass × the backward message of the pass before, as a share."
  },
  "kept": { "is": "said of a candidate that is a context of its own from now on." },
  "merged": {
    "is": "said of a candidate whose mass goes to its least ancestor: only its beginning is forgotten.",
    "forms": ["merge", "merges"]
  },
  "joined": { "is": "said of a candidate that equals another one in all that the model can see, its last n labels." },
  "dropped": { "is": "said of a candidate whose outputs are lost for good.", "forms": ["drops"] },
  "RCMS": { "is": "reified context model selection: keeps the heaviest candidates, merges the rest into ancestors." },
  "beam": { "is": "beam search: keeps the heaviest complete histories and drops the rest.", "forms": ["beam search"] },
  "exact": {
    "is": "keeps every context that the model can tell apart, however many there are.",
    "only": ["exact inference", "exact search"]
  },
  "recombining beam": { "is": "a beam that joins histories which no future can tell apart." },
  "stochastic beam": { "is": "a beam that draws different outputs by chance, each as likely as RCMS thinks it is." },
  "importance sampling": { "is": "outputs drawn from RCMS and weighted to the full model: right in the mean." },
  "SMC": { "is": "sequential Monte Carlo: particles that write label by label, the heavy ones copied on their way." },
  "lost": {
    "is": "said of the gold where a method has dropped it: from there on it cannot be found.",
    "only": ["lost at position", "lost at frame", "lost the gold", "gold is lost", "gold lost"]
  },
  "Z": { "is": "the mass of all outputs together; probabilities are masses divided by it." },
  "log Z": { "is": "the log of the mass of all outputs that a method knows." },
  "log Z so far": { "is": "the log of all forward mass after the labels up to the position." },
  "entropy": { "is": "how evenly mass is spread, in nats: 0 where all of it is in one place." },
  "nat": { "is": "the unit of a natural logarithm: e^1 is one nat." },
  "confidence": { "is": "the probability of the decoded output, by the method's own model." },
  "full model": { "is": "the model with every context a whole history: nothing is merged, nothing dropped." },
  "model error": { "is": "a wrong output that the full model scores as high as the gold or higher." },
  "search error": { "is": "a wrong output that the full model scores lower than the gold." },
  "smallest budget": { "is": "the smallest budget whose output is the gold; larger ones may lose it again." },
  "what if": { "is": "a change that is tried: a label or context that is kept or excluded, another budget." },
  "pin": { "is": "keep a label or a context at a position, whatever its mass." },
  "forbid": { "is": "exclude a label or a context at a position, whatever its mass." },
  "pass": {
    "is": "one run over all positions, or over a whole text; a later one uses what the one before has found.",
    "forms": ["passes"]
  },
  "perplexity": { "is": "exp of the mean −log p per word: how many words a model hesitates between." },
  "log-likelihood": {
    "is": "the log of the probability that a model gives to the right output, as a mean: 0 would be certainty."
  },
  "gradient norm": { "is": "how strongly the examples pull at the weights: near 0 there is little left to learn." },
  "accuracy": { "is": "the fraction of sequences all of whose labels are right." },
  "precision": { "is": "the fraction of the answers given that are right." },
  "recall": { "is": "the largest fraction of words that can be answered at some precision." },
  "bound": { "is": "a number that the true one is proved to be above, or below." },
  "certificate": { "is": "a proof that no better output exists: the bound has come down to the best one found." },
  "slack": { "is": "by how much an edge of the automaton says more than the truth." },
  "automaton": { "is": "contexts as states, joined by edges for labels, which together score every output." },
  "weighted draw": {
    "is": "an output drawn by chance that counts for more where its lattice gave it less than the full model."
  },
  "effective sample size": { "is": "how many draws from the true distribution a weighted sample is worth." },
  "EM": {
    "is": "expectation maximisation: guess what is hidden, count under that guess, take the counts for the next one."
  },
  "EM pass": {
    "is": "one guess of EM for the whole text, and the counts that the next guess is made of.",
    "forms": ["EM passes"]
  },
  "repaired beam": {
    "is": "beam search with a root that takes in what would be dropped, at a price, the root weight."
  },
  "arc": { "is": "one context with one next label, with its log score and its target." },
  "expected count": { "is": "how often a window fires on average." },
  "fold": {
    "is": "a tenth of the data; fold 1 is the test.",
    "only": ["fold 0", "fold 1", "fold 2", "test fold", "folds of the data"]
  },
  "moments": {
    "is": "how often each word, and each pair at each distance, occurs in the ring: all that learning needs of a text."
  },
  "pseudo-likelihood": { "is": "the product of the probabilities of every word given its neighbours." },
  "back-off": {
    "is": "the factor that a history puts on the shorter history's probability of what is not listed after it."
  },
  "refine": { "is": "raise the orders along a rejected path, and make the states that this needs." },
  "gap": { "is": "how far the bound on the best is above the best that was found." },
  "log q": { "is": "the log of what the bound q takes a path to be worth: never below log p." },
  "log p": { "is": "the log score that the model itself gives to a path, with what was observed." },
  "AR-100": { "is": "the share of accepted trials among the last 100." },
  "policy": {
    "is": "takes an action, the next label, in a state: a position and the last n labels.",
    "forms": ["policies"]
  }
};
