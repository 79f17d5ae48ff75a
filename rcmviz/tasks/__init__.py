"""Raw input of a task to words, images and features: what an ``NgramModel`` and its emissions are made from."""
