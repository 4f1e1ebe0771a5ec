// The version of the package that this code came in.
import { readFileSync } from 'node:fs';

/** As in `package.json`; `unknown` where that says nothing. */
export function readVersion(): string {
  const json: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  return typeof json === 'object' && json !== null && 'version' in json ? String(json.version) : 'unknown';
}
