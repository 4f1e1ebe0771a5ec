// The files of the built web console.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConsoleFiles } from '../ops-service/http/console-routes.js';

/** Lists them once, at the start: `console/` beside a folder above this file, wherever the build has put it. */
export function findConsoleFiles(): ConsoleFiles | undefined {
  for (const above of ['../console/', '../../console/']) {
    const folder = fileURLToPath(new URL(above, import.meta.url));
    const files = join(folder, 'console');
    if (!existsSync(files)) continue;
    const names = readdirSync(files);
    return {
      page: join(folder, 'index.html'),
      files: names.map((name) => ({ name, file: join(files, name) })),
    };
  }
  return undefined;
}
