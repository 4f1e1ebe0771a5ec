// The longest turn of the event loop of an overloaded server, as its own metrics show it.

const longestTurn = /^colonnade_event_loop_longest_turn_seconds\{thread="data"\} (\S+)$/m;

/** What the metrics of a server say of its turns since `begin`. */
export class TurnWatch {
  #longestSeconds: number | undefined;
  /** Connections of the data port, when last read. */
  openConnections: number | undefined;

  /** In milliseconds. */
  get longestMs(): number | undefined {
    return this.#longestSeconds === undefined ? undefined : this.#longestSeconds * 1000;
  }

  begin(): void {
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
    const longest = longestTurn.exec(text)?.[1];
    if (longest !== undefined) this.#longestSeconds = Math.max(this.#longestSeconds ?? 0, Number(longest));
  }
}
