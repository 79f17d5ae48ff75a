"""Visible texts of the mass-flow picture, and their overlaps."""

# Texts that are seen: the size of the smallest, and pairs that cover each other by more than a pixel and a half.
TEXTS = """() => {
    const seen = [...document.querySelectorAll('.rv-flow *')].filter(node => {
        const leftOut = 'tspan, title *, [hidden] *, .rv-flow-snapshot *, [data-narrow] .rv-flow-nav *';
        if (node.matches(leftOut)) return false;
        if (![...node.childNodes].some(child => child.nodeType === 3 && child.data.trim())) return false;
        let shown = getComputedStyle(node).visibility === 'hidden' ? 0 : 1;  // a view that presents is in a hidden page
        for (let at = node; at instanceof Element; at = at.parentElement) {
            const style = getComputedStyle(at);
            if (style.display === 'none') return false;
            shown *= Number(style.opacity);
        }
        return shown > .05 && node.getBoundingClientRect().width > 0;
    });
    const boxes = seen.map(node => node.getBoundingClientRect());
    const pairs = seen.flatMap((one, k) => seen.slice(k + 1).flatMap((other, n) => {
        const [a, b] = [boxes[k], boxes[k + 1 + n]];
        const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        const covers = width > 1.5 && height > 5 && !one.contains(other);
        return covers ? [[one.textContent, other.textContent]] : [];
    }));
    return [Math.min(...seen.map(node => parseFloat(getComputedStyle(node).fontSize))), pairs];
}"""
