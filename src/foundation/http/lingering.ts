// Connections that are read on after their request was refused, so that clients that still send get the reply.

/** How long the server reads on. A client on a busy machine needs seconds to read the reply. */
const lingerMs = 5000;
/** The time while many connections are read on. */
const shortLingerMs = 1000;
const mostLong = 64;

/** The connections of a listener that are read on; all of them end after 5 s, all but 64 after 1 s. */
export class Lingering {
  readonly #ends = new Set<() => void>();
  #long = 0;
  #isStopping = false;

  /** Calls `end` later, unless the function that it returns was called before. */
  endLater(end: () => void): () => void {
    const isLong = this.#long < mostLong && !this.#isStopping;
    if (isLong) this.#long += 1;
    const forget = () => {
      clearTimeout(timer);
      if (this.#ends.delete(finish) && isLong) this.#long -= 1;
    };
    const finish = () => {
      forget();
      end();
    };
    const timer = setTimeout(finish, isLong ? lingerMs : shortLingerMs);
    this.#ends.add(finish);
    return forget;
  }

  /** Ends all of them now, and later ones after 1 s. */
  stop(): void {
    this.#isStopping = true;
    for (const finish of this.#ends) finish();
  }
}
