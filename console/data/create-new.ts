// Creates a table or a collection whose name must be free, before rows are inserted there.
import { type Command, sendCommand } from './command.js';
import { loadItems } from './schema.js';

/** What is created. */
export interface NewItem {
  readonly keyspace: string;
  readonly name: string;
  readonly command: Command;
  /** What to do if the name is taken, as a sentence. */
  readonly advice: string;
}

/**
 * Creates it, unless the name is taken: the service accepts a collection again that has the same options. The signal
 * stops what comes before the command. The command itself is not aborted, so that the caller knows what it did.
 * @throws RequestFailure, the reason of `signal`, or Error for a name that is taken
 */
export async function createNew(item: NewItem, signal: AbortSignal): Promise<void> {
  const { keyspace, name, command, advice } = item;
  const present = (await loadItems(keyspace, signal)).find((one) => one.name === name);
  if (present !== undefined) throw new Error(`${keyspace} has a ${present.kind} ${name} already. ${advice}`);
  signal.throwIfAborted();
  await sendCommand(command);
}
