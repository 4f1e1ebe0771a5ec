// Opens the embedded engine for tests, in directories that go when the test file ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';

let parent: string | undefined;

/** A new, empty directory. */
export function newDataDirectory(): string {
  if (parent === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'colonnade-engine-'));
    parent = made;
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  }
  return mkdtempSync(join(parent, 'data-'));
}

/** Opens the engine in a directory; a writer that dies fails the test file. */
export function openEmbedded(dataDirectory: string): Promise<Engine> {
  const onFatal = (error: Error) => {
    throw error;
  };
  return openEmbeddedEngine({ dataDirectory, clock: systemClock, readTimeoutMs: 60_000, onFatal });
}
