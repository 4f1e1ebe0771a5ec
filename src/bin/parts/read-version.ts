// The version of the package of this code.
import { existsSync, readFileSync } from 'node:fs';

/** The version in the `package.json` above this file, wherever the build has put it; `unknown` if it has none. */
export function readVersion(): string {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    const manifest = new URL('package.json', folder);
    if (existsSync(manifest)) return versionIn(manifest);
    if (folder.pathname === '/') return 'unknown';
  }
}

function versionIn(manifest: URL): string {
  const json: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
  return typeof json === 'object' && json !== null && 'version' in json ? String(json.version) : 'unknown';
}
