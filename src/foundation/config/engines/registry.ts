// The engines by the values of `--engine`: the only list of them that does not load them.
import { cassandra } from './cassandra.js';
import { embedded } from './embedded.js';
import type { EngineCapabilities, EngineDescription } from './engine-description.js';

/** In the order of the help. */
export const engineNames = ['embedded', 'cassandra'] as const;

/** A value of `--engine`. */
export type EngineName = (typeof engineNames)[number];

/** The value without the option. */
export const defaultEngine: EngineName = 'embedded';

/** By name. */
export const engines: Readonly<Record<EngineName, EngineDescription>> = { embedded, cassandra };

/** The names of the engines with a capability, for messages: `cassandra`. */
export function enginesWith(capability: keyof EngineCapabilities): string {
  return engineNames.filter((name) => engines[name].capabilities[capability]).join(' or ');
}

/** The file of the rows of an engine; undefined if the rows are in a cluster, or the engine is unknown. */
export function rowsFileOf(engine: string): string | undefined {
  const known: Readonly<Record<string, EngineDescription>> = engines;
  return known[engine]?.rowsFile;
}
