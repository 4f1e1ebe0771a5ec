// The longest turn of the event loop of an overloaded server, as its own metrics show it.

const metric = 'colonnade_event_loop_turn_seconds';
const thread = 'thread="data"';

/** What the metrics of a server say of its turns since `begin`. */
export class TurnWatch {
  #first: ReadonlyMap<string, number> | undefined;
  #longestSeconds: number | undefined;
  /** Connections of the data port, when last read. */
  openConnections: number | undefined;

  /** In milliseconds; of a histogram the upper bound of its bucket. Undefined where there is no such metric. */
  get longestMs(): number | undefined {
    return this.#longestSeconds === undefined ? undefined : this.#longestSeconds * 1000;
  }

  begin(): void {
    this.#first = undefined;
    this.#longestSeconds = undefined;
  }

  /** Reads the metrics of the operations port; one that does not answer says nothing of turns. */
  async read(opsUrl: string): Promise<void> {
    const text = await fetch(`${opsUrl}/metrics`).then(
      (reply) => reply.text(),
      () => '',
    );
    const open = /^colonnade_http_connections (\d+)$/m.exec(text)?.[1];
    if (open !== undefined) this.openConnections = Number(open);
    const counts = bucketCounts(text);
    this.#first ??= counts;
    const found = counts.size > 0 ? longestOf(counts, this.#first) : plainValue(text);
    if (found !== undefined) this.#longestSeconds = Math.max(this.#longestSeconds ?? 0, found);
  }
}

/** The turns up to each bound, by the bound as it is written, in rising order. */
function bucketCounts(text: string): ReadonlyMap<string, number> {
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith(`${metric}_bucket{`) && line.includes(thread));
  return new Map(
    lines.map((line) => [/le="([^"]+)"/.exec(line)?.[1] ?? '', Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** The bound of the highest bucket that grew. */
function longestOf(
  counts: ReadonlyMap<string, number>,
  first: ReadonlyMap<string, number>,
): number | undefined {
  let longest: number | undefined;
  let before = 0;
  for (const [bound, count] of counts) {
    const grown = count - (first.get(bound) ?? 0);
    if (grown > before) longest = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
    before = grown;
  }
  return longest;
}

/** Of a metric that is the longest turn itself. */
function plainValue(text: string): number | undefined {
  const line = text
    .split('\n')
    .find((one) => one.startsWith(metric) && !one.startsWith(`${metric}_sum`) && one.includes(thread));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
}
