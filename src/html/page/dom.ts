// Making elements. Texts of answers become text nodes only, never HTML.

type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;
type Child = Node | string | null | undefined;

function apply(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function")
      element.addEventListener(name, value as unknown as EventListener);
    else if (value === true)
      element.setAttribute(name, "");
    else if (value !== undefined && value !== false)
      element.setAttribute(name, String(value));
  }
  for (const child of children)
    if (child !== null && child !== undefined)
      element.append(child);
}

/** An HTML element; functions among the attributes listen to the event of that name. */
export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, attributes, children);
  return element;
}

/** The same of SVG. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(element, attributes, children);
  return element;
}

/** A sentence whose `words` in backquotes are code. */
export function sentence(words: string): Node[] {
  return words.split(/`([^`]*)`/).map((piece, i) =>
    i % 2 ? html("code", {}, piece) : document.createTextNode(piece));
}

/** "12,345". */
export function grouped(number: number): string {
  return number.toLocaleString("en-US");
}

/** "1 operation", "12,345 operations". */
export function counted(number: number, one: string, several = one + "s"): string {
  return `${grouped(number)} ${number === 1 ? one : several}`;
}
