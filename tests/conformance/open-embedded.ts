// Opens the embedded engine for tests, in directories that go when the test file ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedEngineOptions,
  type HostingEngine,
  openEmbeddedEngine,
} from '../../src/data-service/engine/embedded/embedded-engine.js';
import type { ScanSlices } from '../../src/data-service/engine/embedded/scans/scan.js';
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
export function openEmbedded(
  dataDirectory: string,
  options: Partial<Omit<EmbeddedEngineOptions, 'dataDirectory' | 'onFatal'>> = {},
): Promise<HostingEngine> {
  const onFatal = (error: Error) => {
    throw error;
  };
  return openEmbeddedEngine({
    dataDirectory,
    clock: systemClock,
    readTimeoutMs: 60_000,
    onFatal,
    ...options,
  });
}

/** Slices so small that the tables of tests have many of them. */
export const smallSlices: ScanSlices = {
  walk: { first: 2, least: 1, most: 4 },
  file: { first: 3, least: 2, most: 12 },
};
