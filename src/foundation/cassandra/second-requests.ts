// When another node is asked too, for a statement that may be sent again: behind most answers, and for few statements.

/** The delays to choose from, in ms: where so few answers take longer that most statements go to one node only. */
const delaysMs = [100, 150, 200, 300, 400, 600, 800, 1_000] as const;
const mostDelayMs = 1_000;
const shareOfLonger = 0.01;
/** Answers between two choices, and answers that count: from then on each of them counts half. */
const answersPerChoice = 64;
const answersThatCount = 2_048;
/** Until each further node is asked. A node that dies makes others wait for it for some seconds: see decision 0184. */
const furtherDelayMs = 2_000;
/** Where further statements are used up: nearly half of the time of a statement. */
const delayWithoutShareMs = 4_000;
/** Further statements for each one that is sent, and how many may be saved up: for a node that hangs. */
const shareOfFurther = 0.1;
const mostSaved = 200;

/** The answers that a session has seen, and what it may ask a second time. */
export class SecondRequests {
  /** Answers by their time: within each of the delays, and longer ones. */
  readonly #counts: number[] = [...delaysMs, 0].map(() => 0);
  #answers = 0;
  #delayMs: number = mostDelayMs;
  #saved = mostSaved;

  /** Until a statement without an answer goes to a second node, in ms: a hundredth of the answers take longer. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /** Notes how long a node took for an answer, in ms. */
  noteAnswer(ms: number): void {
    let at = 0;
    for (const delayMs of delaysMs) {
      if (ms <= delayMs) break;
      at += 1;
    }
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#answers += 1;
    if (this.#answers % answersPerChoice === 0) this.#chooseDelay();
  }

  /** Notes a statement that is sent to its first node. */
  noteStatement(): void {
    if (this.#saved < mostSaved) this.#saved += shareOfFurther;
  }

  /** Notes that a statement is sent to a further node. */
  noteFurther(): void {
    this.#saved = Math.max(0, this.#saved - 1);
  }

  /** Whether there is still a share for further statements. */
  get hasShare(): boolean {
    return this.#saved >= 1;
  }

  /** Until a statement that so many nodes were asked for goes to one more, in ms. */
  delayBehind(askedNodes: number): number {
    if (!this.hasShare) return delayWithoutShareMs;
    return askedNodes === 1 ? this.#delayMs : furtherDelayMs;
  }

  #chooseDelay(): void {
    let total = 0;
    for (const count of this.#counts) total += count;
    let longer = total;
    const chosen = delaysMs.find((_, at) => {
      longer -= this.#counts[at] ?? 0;
      return longer <= total * shareOfLonger;
    });
    this.#delayMs = chosen ?? mostDelayMs;
    if (total >= answersThatCount)
      for (const at of this.#counts.keys()) this.#counts[at] = (this.#counts[at] ?? 0) / 2;
  }
}
