// Reads a graph's memory as `memory.as.ts` lays it out, so that tests can see what callers cannot.
import { bitmapsAt, headerAt, headerFields } from '../../src/data-service/engine/embedded/vectors/graph.js';

const pivotsAt = 4096;
const linksPerRecord = 32;

/** A record of a graph. */
export interface RecordSeen {
  readonly slot: number;
  readonly label: number;
  readonly state: 'free' | 'waiting' | 'linked' | 'twin' | 'apart';
  /** Its row can be found. */
  readonly isLive: boolean;
  /** It is in the graph, but its row was removed. */
  readonly isDead: boolean;
  readonly links: readonly number[];
  /** How many records link to it, as its counter says. */
  readonly inLinks: number;
  /** The next twin's slot. */
  readonly next: number | undefined;
}

/** All that the invariants are about. */
export interface GraphSeen {
  readonly records: readonly RecordSeen[];
  readonly pivots: readonly number[];
  readonly liveCount: number;
  readonly waitingCount: number;
  readonly deadCount: number;
  readonly freeCount: number;
  readonly linkedCount: number;
  readonly apartCount: number;
}

/** Reads a graph. `recordsAt`: where its records begin, as its module says. */
export function inspectGraph(memory: WebAssembly.Memory, recordsAt: number): GraphSeen {
  const fields = new Uint32Array(memory.buffer, headerAt, 64);
  const field = (name: keyof typeof headerFields) => fields[headerFields[name]] ?? 0;
  const view = new DataView(memory.buffer);
  const u32 = (address: number) => view.getUint32(address, true);
  const bitmapBytes = Math.floor((field('maxSlots') + 63) / 64) * 8;
  const hasBit = (bitmap: number, slot: number) =>
    ((u32(bitmapsAt + bitmap * bitmapBytes + (slot >> 5) * 4) >>> (slot & 31)) & 1) === 1;
  const linksIn = 32 + field('codesWide');
  const stride = linksIn + linksPerRecord * 4 + (field('isCodedAlone') === 1 ? 0 : field('floatsWide') * 4);
  const states = ['free', 'waiting', 'linked', 'twin', 'apart'] as const;
  const records = Array.from({ length: field('slots') }, (_, slot): RecordSeen => {
    const record = recordsAt + slot * stride;
    const state = states[view.getUint8(record + 12)] ?? 'free';
    const linkCount = state === 'linked' ? u32(record + 28) : 0;
    const next = u32(record + 8);
    return {
      slot,
      label: view.getFloat64(record + 16, true),
      state,
      isLive: hasBit(0, slot),
      isDead: hasBit(2, slot),
      links: Array.from({ length: linkCount }, (_, at) => u32(record + linksIn + at * 4)),
      inLinks: view.getUint16(record + 14, true),
      next: next === 0 || state === 'free' ? undefined : next - 1,
    };
  });
  return {
    records,
    pivots: Array.from({ length: field('pivotCount') }, (_, at) => u32(pivotsAt + at * 4)),
    liveCount: field('live'),
    waitingCount: field('waiting'),
    deadCount: field('dead'),
    freeCount: field('freeCount'),
    linkedCount: field('linked'),
    apartCount: field('apart'),
  };
}

/** What is wrong with a graph, a sentence each. */
export function findBreaches(graph: GraphSeen): readonly string[] {
  return [...breachesOfCounts(graph), ...breachesOfLinks(graph), ...breachesOfTwins(graph)];
}

/** Live rows in the graph that cannot be reached from a pivot along the links. */
export function countUnreachable({ records, pivots }: GraphSeen): number {
  const reached = new Set(pivots);
  const open = [...pivots];
  for (let slot = open.pop(); slot !== undefined; slot = open.pop()) {
    for (const link of records[slot]?.links ?? []) {
      if (reached.has(link)) continue;
      reached.add(link);
      open.push(link);
    }
  }
  return records.filter(({ slot, state, isLive }) => state === 'linked' && isLive && !reached.has(slot))
    .length;
}

function breachesOfCounts(graph: GraphSeen): readonly string[] {
  const counted = (name: string, said: number, test: (record: RecordSeen) => boolean) => {
    const seen = graph.records.filter(test).length;
    return seen === said ? [] : [`${said} records are said to be ${name}, but ${seen} are`];
  };
  const labels = graph.records.filter(({ isLive }) => isLive).map(({ label }) => label);
  return [
    ...counted('live', graph.liveCount, ({ isLive }) => isLive),
    ...counted('waiting', graph.waitingCount, ({ state }) => state === 'waiting'),
    ...counted('dead', graph.deadCount, ({ isDead }) => isDead),
    ...counted('free', graph.freeCount, ({ state }) => state === 'free'),
    ...counted('apart', graph.apartCount, ({ state }) => state === 'apart'),
    ...counted('linked', graph.linkedCount, ({ state }) => state === 'linked'),
    ...(new Set(labels).size === labels.length ? [] : ['a label is there twice']),
    ...graph.records
      .filter(({ state, isLive, isDead }) => isLive !== (state !== 'free' && !isDead))
      .map(({ slot, state }) => `record ${slot}, ${state}, is live and dead, or neither`),
  ];
}

function breachesOfLinks({ records, pivots }: GraphSeen): readonly string[] {
  const inLinks = new Map<number, number>();
  const breaches: string[] = [];
  for (const { slot, links } of records) {
    if (links.length > linksPerRecord) breaches.push(`record ${slot} has ${links.length} links`);
    if (new Set(links).size !== links.length) breaches.push(`record ${slot} has a link twice`);
    if (links.includes(slot)) breaches.push(`record ${slot} links to itself`);
    for (const link of links) {
      inLinks.set(link, (inLinks.get(link) ?? 0) + 1);
      if (records[link]?.state !== 'linked')
        breaches.push(`record ${slot} links to ${link}, which is not linked`);
    }
  }
  for (const { slot, state, inLinks: said, isDead } of records.filter(
    (record) => record.state === 'linked',
  )) {
    const seen = inLinks.get(slot) ?? 0;
    if (seen !== said)
      breaches.push(`${seen} records link to record ${slot}, ${state}, which believes ${said}`);
    if (seen === 0 && !isDead && !pivots.includes(slot)) breaches.push(`nothing leads to record ${slot}`);
  }
  const lost = pivots.filter((pivot) => records[pivot]?.state !== 'linked');
  return [...breaches, ...lost.map((pivot) => `pivot ${pivot} is not linked`)];
}

function breachesOfTwins({ records }: GraphSeen): readonly string[] {
  const hanging = records.flatMap(({ next }) => (next === undefined ? [] : [next]));
  const twins = records.filter(({ state }) => state === 'twin').map(({ slot }) => slot);
  const isSame = hanging.length === twins.length && twins.every((slot) => hanging.includes(slot));
  return isSame ? [] : [`the twins are ${twins.length}, but ${hanging.length} records hang behind others`];
}
