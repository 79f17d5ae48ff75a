// @ts-check
// Elements: creation, attributes, text, and pools for reuse.

export const SVG_SPACE = "http://www.w3.org/2000/svg";

/** @type {<N extends Element>(node: N, attributes?: Attributes | null) => N} */
export function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name.startsWith("aria-") && typeof value === "boolean")
      setAttributes(node, { [name]: String(value) }); // keeps "false"
    else if (value === false || value === null || value === undefined) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value === true ? "" : String(value));
  }
  return node;
}

// Text becomes text nodes: labels such as <s> must not become elements.
/**
 * @type {<K extends keyof HTMLElementTagNameMap>(tag: K, attributes?: Attributes | null, ...children: Children) =>
 *   HTMLElementTagNameMap[K]}
 */
export function html(tag, attributes, ...children) {
  const node = setAttributes(document.createElement(tag), attributes);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/**
 * @type {<K extends keyof SVGElementTagNameMap>(tag: K, attributes?: Attributes | null, ...children: Children) =>
 *   SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes, ...children) {
  const node = setAttributes(document.createElementNS(SVG_SPACE, tag), attributes);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** @type {<N extends Element>(node: N, ...children: (Node | string)[]) => N} */
export function setContent(node, ...children) {
  node.replaceChildren(...children);
  return node;
}

// Keeps the text node, since a new one would need a new layout.
/** @type {(node: Node, text: string) => void} */
export function setText(node, text) {
  const { firstChild } = node;
  if (!(firstChild instanceof Text) || firstChild !== node.lastChild) {
    if (node.textContent !== text) node.textContent = text;
  } else if (firstChild.data !== text) firstChild.data = text;
}

/** @type {(node: Element, name: string, on: unknown) => void} */
export function toggle(node, name, on) {
  if (node.classList.contains(name) !== Boolean(on)) node.classList.toggle(name, Boolean(on));
}

// A list of reused elements: grows on demand, hides unused ones.
/** @type {<P extends Pooled>(parent: Element, make: (k: number) => P) => (count: number) => P[]} */
export function pool(parent, make) {
  /** @type {ReturnType<typeof make>[]} */
  const made = [];
  return (count) => {
    while (made.length < count) {
      made.push(make(made.length));
      parent.append(made[made.length - 1].node);
    }
    made.forEach((part, k) => {
      part.node.style.display = k < count ? "" : "none";
    });
    return made.slice(0, count);
  };
}
