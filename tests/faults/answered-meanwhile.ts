// How many short requests a server answers while a long one is under way.

const rounds = 50;

/**
 * The most requests of `ask`, one after another and up to `wanted`, that were answered before the request of `start`
 * was. It tries again if there were fewer: this process may be late itself on a busy machine, but not each time.
 */
export async function answeredMeanwhile(
  wanted: number,
  start: () => Promise<unknown>,
  ask: () => Promise<unknown>,
): Promise<number> {
  let most = 0;
  for (let round = 0; round < rounds && most < wanted; round += 1) {
    let isOver = false;
    const long = start().finally(() => {
      isOver = true;
    });
    let answered = 0;
    while (answered < wanted && !isOver) {
      await ask();
      if (!isOver) answered += 1;
    }
    await long;
    most = Math.max(most, answered);
  }
  return most;
}
