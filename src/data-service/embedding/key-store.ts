// The key store: secrets of embedding providers with names, by which definitions of columns refer to them.
import { isJsonArray, isJsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import type { EncryptedFile } from '../../foundation/secrets/encrypted-file.js';
import type { StoredKey } from './provider.js';

/** A problem of an entry; the text never contains the secret. */
export interface KeyProblem {
  /** The member, or "name". */
  readonly path: string;
  readonly message: string;
}

/** Named secrets. Names can be listed; only providers get the secrets. */
export interface KeyStore {
  /** In alphabetical order. */
  names(): readonly string[];
  get(name: string): StoredKey | undefined;
  /**
   * Adds or replaces an entry durably; if it returns problems, nothing was changed. The member `providers` names who
   * may get it. An entry that is replaced without it keeps its own, so that a new secret goes to no further provider.
   */
  put(name: string, entry: Readonly<Record<string, unknown>>): readonly KeyProblem[];
  /** Deletes an entry durably. Returns whether there was one. */
  delete(name: string): boolean;
}

/** The members of an entry: an entry has all members of one of these lists. */
const kinds = [['providerKey'], ['accessId', 'secretKey']] as const;
const maxNameLength = 100;
const maxProviders = 100;
const maxEntries = 10_000;
/** No dot: a column refers to a member of an entry as `name.member`. */
const namePattern = /^[A-Za-z0-9_-]+$/;
/** Secrets are sent in HTTP headers. */
const secretPattern = /^[\x21-\x7e]{1,8192}$/;

/**
 * Opens the store in a file.
 * @throws Error for content that this store did not write
 */
export function openKeyStore(file: EncryptedFile): KeyStore {
  const entries = readEntries(file);
  const write = (changed: ReadonlyMap<string, StoredKey>) =>
    file.replace(Buffer.from(JSON.stringify(Object.fromEntries([...changed].map(stored)))));
  return {
    names: () => [...entries.keys()].sort(),
    get: (name) => entries.get(name),
    put: (name, { providers = entries.get(name)?.providers, ...secrets }) => {
      const isFull = entries.size >= maxEntries && !entries.has(name);
      const problems = [...problemsOfName(name, isFull), ...problemsOfSecrets(secrets)];
      if (!areProviders(providers)) problems.push(wrongProviders);
      if (problems.length > 0 || !areProviders(providers)) return problems;
      const texts = Object.entries(secrets).map(([member, secret]) => [member, String(secret)] as const);
      const entry = keyOf(texts, providers);
      write(new Map(entries).set(name, entry));
      entries.set(name, entry); // only after the entry is on disk
      return [];
    },
    delete: (name) => {
      if (!entries.has(name)) return false;
      write(new Map([...entries].filter(([other]) => other !== name)));
      return entries.delete(name);
    },
  };
}

function keyOf(
  secrets: readonly (readonly [member: string, secret: string])[],
  providers: readonly string[] | undefined,
): StoredKey {
  return { secrets: Object.fromEntries(secrets), ...(providers === undefined ? {} : { providers }) };
}

/** An entry as it is in the file: earlier versions, which know no providers, have their secrets at the same place. */
function stored([name, { secrets, providers }]: readonly [string, StoredKey]) {
  return [name, { ...secrets, ...(providers === undefined ? {} : { providers }) }] as const;
}

const wrongProviders: KeyProblem = {
  path: 'providers',
  message: `must be a list of 1 to ${maxProviders} names of providers`,
};

function areProviders(given: unknown): given is readonly string[] | undefined {
  if (given === undefined) return true;
  if (!Array.isArray(given) || given.length === 0 || given.length > maxProviders) return false;
  return given.every((name) => typeof name === 'string' && /^[\x21-\x7e]{1,100}$/.test(name));
}

function problemsOfName(name: string, isFull: boolean): KeyProblem[] {
  if (isFull)
    return [{ path: 'name', message: `cannot be added: the key store already has ${maxEntries} entries` }];
  if (namePattern.test(name) && name.length <= maxNameLength) return [];
  const message = `must have 1 to ${maxNameLength} letters, digits, hyphens and underscores`;
  return [{ path: 'name', message }];
}

function problemsOfSecrets(secrets: Readonly<Record<string, unknown>>): readonly KeyProblem[] {
  const given = Object.keys(secrets);
  const kind = kinds.find((members) => members.some((member) => given.includes(member))) ?? kinds[0];
  const allowed: readonly string[] = kind;
  const wanted = kinds.map((members) => `{"${members.join('","')}"}`).join(' or ');
  const others = given
    .filter((member) => !allowed.includes(member))
    .map((path) => ({ path, message: `is not known; an entry has the form ${wanted}` }));
  const bad = allowed
    .filter((member) => !isSecret(secrets[member]))
    .map((path) => ({
      path,
      message: 'must be a string of 1 to 8192 visible ASCII characters without spaces',
    }));
  return [...others, ...bad];
}

function isSecret(value: unknown): boolean {
  return typeof value === 'string' && secretPattern.test(value);
}

function readEntries(file: EncryptedFile): Map<string, StoredKey> {
  const content = file.read();
  if (content === undefined) return new Map();
  const json = parseJson(content.toString(), { maxDepth: 3, maxNumberLength: 20 });
  const entries = isJsonObject(json) ? [...json] : [];
  return new Map(
    entries.map(([name, entry]) => {
      if (!isJsonObject(entry)) throw new Error(`the key store has an entry "${name}" of another form`);
      const members = [...entry].filter(([member]) => member !== 'providers');
      const secrets = members.map(([member, secret]) => [member, String(secret)] as const);
      const providers = readProviders(entry.get('providers'));
      if (!areProviders(providers)) throw new Error(`the key store has an entry "${name}" of another form`);
      return [name, keyOf(secrets, providers)];
    }),
  );
}

/** Earlier versions, which know no providers, write a list of them as a text with commas. */
function readProviders(json: JsonValue | undefined): unknown {
  if (typeof json === 'string') return json.split(',');
  return json !== undefined && isJsonArray(json) ? [...json] : json;
}
