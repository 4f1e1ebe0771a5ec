// The files of the built web console.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConsoleFile, ConsoleFiles } from '../../ops-service/http/ops-parts.js';

/** What the build adds to the name of a file that it compressed. */
const endings = { br: '.br', gzip: '.gz' };

/** Lists them once, at the start: `console/` beside a folder above this file, wherever the build has put it. */
export function findConsoleFiles(): ConsoleFiles | undefined {
  for (const above of ['../console/', '../../../console/']) {
    const folder = fileURLToPath(new URL(above, import.meta.url));
    if (existsSync(join(folder, 'console'))) return consoleFilesIn(folder);
  }
  return undefined;
}

/** The files of a folder with `index.html` and, in `console/`, what it loads. */
function consoleFilesIn(folder: string): ConsoleFiles {
  const page = join(folder, 'index.html');
  const files = filesIn(join(folder, 'console'));
  const textAtStart = textOf(page);
  return {
    page,
    files,
    // The page names its scripts, and the name of each file changes with its content.
    areUnchanged: () => textOf(page) === textAtStart && files.every(({ file }) => existsSync(file)),
  };
}

function textOf(page: string): string | undefined {
  try {
    return readFileSync(page, 'utf8');
  } catch {
    return undefined; // a build has removed it and not made it again yet
  }
}

/** The files of a folder, each with those that hold its content compressed. */
function filesIn(folder: string): readonly ConsoleFile[] {
  const names = new Set(readdirSync(folder));
  const isEncoded = (name: string) => Object.values(endings).some((ending) => name.endsWith(ending));
  return [...names]
    .filter((name) => !isEncoded(name))
    .map((name) => {
      const made = Object.entries(endings).filter(([, ending]) => names.has(`${name}${ending}`));
      const encodedFiles = made.map(([encoding, ending]) => [encoding, join(folder, `${name}${ending}`)]);
      return { name, file: join(folder, name), encodedFiles: Object.fromEntries(encodedFiles) };
    });
}
