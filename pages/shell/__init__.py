"""What all pages share: declarations, links, state, the form, answers, rendering, and all that is derived from them."""
