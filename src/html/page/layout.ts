// Where the states and edges of an automaton are drawn: layers from left to right.
//
// Sugiyama, Tagawa and Toda's method: edges that close a circle are turned round, each node's layer
// is the longest way to it, edges become chains of nodes through the layers between, nodes of a
// layer change places while that saves crossings, and at last each is drawn to where its neighbours
// are. A layer of labels lies between two layers of states: what an edge says is a node of its chain.

export interface Edge { from: number; to: number; lines: string[] }

export interface Size { width: number; height: number }

export interface Placed { x: number; y: number }

export interface Drawn extends Edge {
  /** From the edge of one state to that of the other; the label stands above the point `label`. */
  points: Placed[];
  label: Placed;
}

export interface Layout { width: number; height: number; states: Placed[]; edges: Drawn[] }

interface Node extends Size { x: number; y: number; layer: number; before: Node[]; after: Node[] }

const GAP = 14, SPACE = 26, SWEEPS = 16;

/** The edges without circles: those that would close one, seen from `initial`, are turned round. */
function findTurned(states: number, edges: Edge[], initial: number): Set<Edge> {
  const turned = new Set<Edge>(), done = new Set<number>(), open = new Set<number>();
  const visit = (state: number): void => {
    open.add(state);
    for (const edge of edges)
      if (edge.from === state && open.has(edge.to))
        turned.add(edge);
      else if (edge.from === state && !done.has(edge.to))
        visit(edge.to);
    open.delete(state);
    done.add(state);
  };
  for (const state of [initial, ...Array(states).keys()])
    if (!done.has(state))
      visit(state);
  return turned;
}

function connect(one: Node, other: Node): void {
  one.after.push(other);
  other.before.push(one);
}

function crossings(layers: Node[][]): number {
  let count = 0;
  for (const layer of layers.slice(0, -1)) {
    const ends = layer.flatMap(node => node.after.map(next => next.y).sort((a, b) => a - b));
    ends.forEach((end, i) => { count += ends.slice(0, i).filter(other => other > end).length; });
  }
  return count;
}

/** Orders each layer; y is a node's place in it. */
function order(layers: Node[][]): void {
  const number = () => layers.forEach(layer => layer.forEach((node, i) => { node.y = i; }));
  number();
  let best = layers.map(layer => [...layer]), fewest = crossings(layers);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      const mean = (node: Node) => {
        const near = down ? node.before : node.after;
        return near.length ? near.reduce((sum, other) => sum + other.y, 0) / near.length : node.y;
      };
      const means = new Map(layer.map(node => [node, mean(node)]));
      layer.sort((a, b) => means.get(a)! - means.get(b)!);
      layer.forEach((node, i) => { node.y = i; });
    }
    const now = crossings(layers);
    if (now < fewest) {
      fewest = now;
      best = layers.map(layer => [...layer]);
    }
  }
  best.forEach((layer, i) => { layers[i] = layer; });
  number();
}

/** Puts the nodes of a layer as near as may be to where they are wanted, without overlaps. */
function settle(layer: Node[], wanted: number[]): void {
  const blocks: { sum: number; count: number }[] = [], offsets: number[] = [];
  layer.forEach((node, i) => {
    offsets.push(i ? offsets[i - 1] + (layer[i - 1].height + node.height) / 2 + GAP : 0);
    blocks.push({ sum: wanted[i] - offsets[i], count: 1 });
    for (let last = blocks.length - 1; last > 0 &&
         blocks[last - 1].sum / blocks[last - 1].count > blocks[last].sum / blocks[last].count; last--) {
      blocks[last - 1].sum += blocks[last].sum;
      blocks[last - 1].count += blocks[last].count;
      blocks.pop();
    }
  });
  let i = 0;
  for (const { sum, count } of blocks)
    for (let k = 0; k < count; k++, i++)
      layer[i].y = sum / count + offsets[i];
}

function place(layers: Node[][]): void {
  for (const layer of layers)
    settle(layer, layer.map(() => 0));
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (const layer of sweep % 2 ? [...layers].reverse() : layers)
      settle(layer, layer.map(node => {
        const near = [...node.before, ...node.after];
        return near.length ? near.reduce((sum, other) => sum + other.y, 0) / near.length : node.y;
      }));
  let x = 0;
  for (const layer of layers) {
    const width = Math.max(0, ...layer.map(node => node.width));
    for (const node of layer)
      node.x = x + width / 2;
    x += width + SPACE;
  }
}

/** `sizes` of the states; loops at a state are not among the edges; what is said at each has a size. */
export function layOut(sizes: Size[], edges: Edge[], initial: number,
                       sizeOf: (lines: string[]) => Size): Layout {
  const turned = findTurned(sizes.length, edges, initial);
  const way = edges.map(edge => turned.has(edge) ? [edge.to, edge.from] : [edge.from, edge.to]);
  const depth = sizes.map(() => 0);
  for (let round = 0; round < sizes.length; round++)
    for (const [from, to] of way)
      depth[to] = Math.max(depth[to], depth[from] + 1);
  const layers: Node[][] = Array.from({ length: 2 * Math.max(0, ...depth) + 1 }, () => []);
  const add = (layer: number, size: Size): Node => {
    const node = { ...size, x: 0, y: 0, layer, before: [], after: [] };
    layers[layer].push(node);
    return node;
  };
  const states = sizes.map((size, i) => add(2 * depth[i], size));
  const chains = edges.map((edge, i) => {
    const [from, to] = way[i], chain = [states[from]];
    for (let layer = 2 * depth[from] + 1; layer < 2 * depth[to]; layer++) {
      const isLabel = layer === (turned.has(edge) ? 2 * depth[to] - 1 : 2 * depth[from] + 1);
      chain.push(add(layer, isLabel ? sizeOf(edge.lines) : { width: 0, height: 4 }));
      connect(chain.at(-2)!, chain.at(-1)!);
    }
    connect(chain.at(-1)!, states[to]);
    return turned.has(edge) ? [states[to], ...chain.slice(1).reverse(), states[from]] : [...chain, states[to]];
  });
  order(layers);
  place(layers);
  const nodes = layers.flat();
  const top = Math.min(...nodes.map(node => node.y - node.height / 2));
  nodes.forEach(node => { node.y -= top; });
  const bottom = (node: Node): Placed => ({ x: node.x, y: node.y + node.height / 2 });
  return {
    width: Math.max(...nodes.map(node => node.x + node.width / 2)),
    height: Math.max(...nodes.map(node => node.y + node.height / 2)),
    states: states.map(bottom),
    edges: edges.map((edge, i) => ({
      ...edge, points: chains[i].map(bottom), label: bottom(chains[i][1]) })),
  };
}
