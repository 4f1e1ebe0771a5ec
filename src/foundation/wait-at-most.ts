// Waits for work that may take too long.

/** Resolves when the work is done or the time is over; rejects when the work fails in time. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
