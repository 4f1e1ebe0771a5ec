// `colonnade serve`: starts the server of a process.
import type { Config } from '../foundation/config/options.js';
import { beginStart } from './begin-start.js';
import { tuneProcess } from './parts/tune-process.js';
import type { RunOptions } from './run-server.js';

/** Serves until a signal; resolves when both ports answer and their lines are printed. */
export async function serve(config: Config, options: RunOptions = {}): Promise<void> {
  tuneProcess();
  await beginStart(config, async (settings, opsThread) => {
    const { runServer } = await import('./run-server.js');
    await runServer(settings, opsThread, options);
  });
}
