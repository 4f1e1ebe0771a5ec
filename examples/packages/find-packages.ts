// Finds the packages that are installed under a node_modules directory, also those nested in other packages.
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';

/** A directory that holds, or should hold, a package. */
export interface PackageFolder {
  /** From the node_modules directory on, with `/`: `pino`, `@types/node`, `a/node_modules/b`. Unique. */
  readonly folder: string;
  readonly path: string;
}

/** Every package's folder, in no particular order. A package that is linked twice is found once. */
export function* findPackages(modulesPath: string): Generator<PackageFolder> {
  const root = realpathSync(modulesPath);
  const seen = new Set<string>();
  const waiting = [root];
  for (let modules = waiting.pop(); modules !== undefined; modules = waiting.pop()) {
    for (const path of packagePathsIn(modules)) {
      const realPath = realpathSync(path);
      // A link may lead back to a package that encloses it.
      if (seen.has(realPath)) continue;
      seen.add(realPath);
      yield { folder: relative(root, path).split(sep).join('/'), path };
      if (isDirectory(join(path, 'node_modules'))) waiting.push(join(path, 'node_modules'));
    }
  }
}

/** The bytes of a package's files. Packages nested in it count for themselves; links count nothing. */
export function sizeOnDiskBytes(path: string): number {
  let sizeBytes = 0;
  for (const name of readdirSync(path)) {
    const entry = lstatSync(join(path, name));
    if (entry.isFile()) sizeBytes += entry.size;
    else if (entry.isDirectory() && name !== 'node_modules') sizeBytes += sizeOnDiskBytes(join(path, name));
  }
  return sizeBytes;
}

/** `name` and `@scope/name` directories; names with a dot in front (`.bin`, `.cache`) hold no packages. */
function packagePathsIn(modules: string): readonly string[] {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(modules, name))
    .filter(isDirectory)
    .flatMap((path) => (basename(path).startsWith('@') ? packagePathsIn(path) : [path]));
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
