// Lets test files run together in one process.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** At the top of a file hooks concern all that runs beside it: such a file is a suite of its own. */
const hooksAtTop = /^(?:const .* = )?(?:\w+\()?(?:before|after|use[A-Z])\w*\(/m;

/** The text of a module that runs compiled test files one after another, and fails with each. `names`: in `folder`. */
export function textOfSharedProcess(folder: string, names: readonly string[]): string {
  const lines = names.map((name) => {
    const path = join(folder, name);
    const url = pathToFileURL(path).href;
    const hasHooks = hooksAtTop.test(readFileSync(path, 'utf8'));
    return hasHooks ? `describe('${name}', () => import('${url}'));` : `import '${url}';`;
  });
  return `import { describe } from 'node:test';\n${lines.join('\n')}\n`;
}
