// Opens the embedding providers: their catalogue and the key store.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeEmbedder } from '../data-service/commands/embed-texts.js';
import type { RunCommandOptions } from '../data-service/commands/run-command.js';
import {
  asKnown,
  type EmbeddingCatalogue,
  type KnownProvider,
  makeCatalogue,
} from '../data-service/embedding/catalogue.js';
import { makeCheckEmbeddingService } from '../data-service/embedding/check-embedding-service.js';
import { type KeyStore, openKeyStore } from '../data-service/embedding/key-store.js';
import { embeddingProviders } from '../data-service/embedding/providers/registry.js';
import { readProvidersFile } from '../data-service/embedding/providers-file.js';
import { ConfigProblems } from '../foundation/config/load-config.js';
import type { Config } from '../foundation/config/options.js';
import { sendRequest } from '../foundation/http/send-request.js';
import { type KeySource, openEncryptedFile } from '../foundation/secrets/encrypted-file.js';
import { systemClock } from '../foundation/telemetry/clock.js';

/** The parts of embedding that running commands needs, and the key store. */
export interface OpenEmbedding {
  readonly commandOptions: Pick<RunCommandOptions, 'embedder' | 'checkEmbeddingService'>;
  readonly keyStore: KeyStore;
}

/**
 * Opens both; the data directory exists.
 * @throws ConfigProblems for a providers file that cannot be used, Error for a key store that cannot be read
 */
export function openEmbedding(config: Config): OpenEmbedding {
  const catalogue = openCatalogue(config);
  const keyStore = openKeyStore(openEncryptedFile(config.dataDir, 'key-store.enc', keySource(config)));
  const membersOfKey = (name: string) => {
    const entry = keyStore.get(name);
    return entry === undefined ? undefined : Object.keys(entry);
  };
  const effects = {
    send: sendRequest,
    clock: systemClock,
    sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }),
    random: Math.random,
  };
  const embedder = makeEmbedder({ catalogue, findKey: keyStore.get, effects });
  return {
    commandOptions: {
      embedder,
      checkEmbeddingService: makeCheckEmbeddingService({ catalogue, membersOfKey }),
    },
    keyStore,
  };
}

/** The catalogue of providers. @throws ConfigProblems for a providers file that cannot be used */
export function openCatalogue({ providersFile, region }: Config): EmbeddingCatalogue {
  return makeCatalogue(loadProviders(providersFile), region);
}

function loadProviders(file: string | undefined): ReadonlyMap<string, KnownProvider> {
  const known = asKnown(embeddingProviders);
  if (file === undefined) return known;
  const reading = readProvidersFile(readText(file), file, known);
  if (reading.problems.length > 0) throw new ConfigProblems(reading.problems);
  return reading.known;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigProblems([`--providers-file names ${file}, which cannot be read: ${reason}`]);
  }
}

function keySource({ keyStoreSecret }: Config): KeySource {
  const option = '--key-store-secret';
  if (keyStoreSecret !== undefined) return { kind: 'secret', secret: keyStoreSecret, option };
  return { kind: 'file', fileName: 'key-store.key', option };
}
