// The errors that the model of collections expects.

/** A command, or one document of it, is refused. The message is the code. */
export class Refusal extends Error {}

/** @throws Refusal */
export function refuse(code: string): never {
  throw new Refusal(code);
}
