// A promise of something that happens for the first time, such as an acknowledged write.

/** An event that is waited for once. */
export class FirstEvent {
  #resolve = (): void => {};
  /** Resolves when it has happened. */
  readonly happened = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });

  /** Must be called each time it happens. */
  note(): void {
    this.#resolve();
  }
}
