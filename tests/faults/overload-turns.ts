// The longest turns of the event loops of an overloaded server, as its own metrics show them.

const longestTurns = /^colonnade_event_loop_longest_turn_seconds\{thread="(\w+)"\} (\S+)$/gm;

/** What the metrics of a server say of its turns since `begin`. */
export class TurnWatch {
  readonly #longestMs = new Map<string, number>();
  /** Connections of the data port, when last read. */
  openConnections: number | undefined;

  /** The longest turn of a thread, `data` or `operations`, in milliseconds. */
  longestMs(thread: 'data' | 'operations'): number | undefined {
    return this.#longestMs.get(thread);
  }

  begin(): void {
    this.#longestMs.clear();
  }

  /** Reads the metrics of the operations port; one that does not answer says nothing of turns. */
  async read(opsUrl: string): Promise<void> {
    const text = await fetch(`${opsUrl}/metrics`).then(
      (reply) => reply.text(),
      () => '',
    );
    const open = /^colonnade_http_connections (\d+)$/m.exec(text)?.[1];
    if (open !== undefined) this.openConnections = Number(open);
    for (const [, thread = '', seconds] of text.matchAll(longestTurns))
      this.#longestMs.set(thread, Math.max(this.#longestMs.get(thread) ?? 0, Number(seconds) * 1000));
  }
}
