"""Measurements of present mode: size and place of every visible text."""

WALLS = (1280, 720), (1920, 1080)
READABLE = 18  # pixels
TEXTS = """() => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const owner = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || getComputedStyle(owner).visibility === "hidden") continue;
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        const { left, top, right, bottom, height } = range.getBoundingClientRect();
        if (right - left < 1 || height < 1) continue;
        const size = parseFloat(getComputedStyle(owner).fontSize) * owner.currentCSSZoom;
        found.push({ text: walker.currentNode.data, size, height, left, top, right, bottom });
    }
    return found;
}"""
FITS = """() => [...document.querySelectorAll(".rv-player, .rv-player > .rv-stage, .rv-scroll")]
    .filter(node => node.offsetHeight && node.scrollHeight > node.clientHeight + 1)
    .map(node => [node.className, node.scrollHeight, node.clientHeight])"""
PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"


def on_walls(page, walls=WALLS):
    """Yield the sizes of a wall, each once the page has followed."""
    for width, height in walls:
        page.set_viewport_size({"width": width, "height": height})
        for _ in range(3):  # the window, the width of the player, its drawing
            page.wait_for_function(PAINTED)
        yield width, height


def unreadable(page, width, height):
    """Return the texts that are too small to be read from the last row, outside of the window, or need scrolling."""
    texts = page.evaluate(TEXTS)
    assert len(texts) > 20
    small = [text for text in texts if min(text["size"], text["height"]) < READABLE]
    outside = [
        text
        for text in texts
        if text["left"] < -1 or text["top"] < -1 or text["right"] > width + 1 or text["bottom"] > height + 1
    ]
    return small + outside + page.evaluate(FITS)
