"""From phones to letters: pronouncing dictionaries and utterances."""
