// Fetches the files of a model from a hub, in parts, into a directory that becomes the model when all are right.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type OutgoingReply, SendFailure, type SendRequest } from '../../../foundation/http/send-request.js';
import { writeWhole } from '../../../foundation/machine/write-whole.js';
import { type LocalModel, readLocalModel, refuseModelName } from './find-local-models.js';
import { largestSettingsBytes } from './model-files.js';
import { type ModelLayout, readLayout } from './model-layout.js';
import { ModelProblem } from './model-problem.js';
import { largestWeightsBytes } from './safetensors.js';
import { largestTokenizerBytes } from './static-model-files.js';
import { graphPaths, largestGraphBytes } from './transformer-files.js';
import { inputSettingsFiles } from './transformer-settings.js';

/** Which model to fetch, and where to. */
export interface ModelSource {
  /** The address of the files: their paths are appended. It ends with `/`. */
  readonly url: string;
  /** The directory of all models, which is created if it does not exist. */
  readonly directory: string;
  readonly name: string;
  /** The SHA-256 of `model.safetensors`, or of the graph of a transformer, as hubs show it, in hexadecimal digits. */
  readonly sha256?: string | undefined;
  /** The fingerprint of the whole model. */
  readonly fingerprint?: string | undefined;
}

/** What fetching needs from the process. */
export interface FetchEffects {
  readonly send: SendRequest;
  /** Called behind each part of a file. */
  readonly onPart: (path: string, doneBytes: number, allBytes: number) => void;
  readonly signal: AbortSignal;
}

const partBytes = 8 * 1024 * 1024;
const partTimeoutMs = 120_000;
const mostRedirects = 5;
const redirects = [301, 302, 303, 307, 308];
const settingsFiles = ['config.json', 'modules.json', 'config_sentence_transformers.json'];

/**
 * Fetches a model. Until its files are complete and right, they are in a directory whose name begins with a dot, which
 * is not listed; the next attempt removes what an interrupted one left.
 * @throws ModelProblem, SendFailure, errors of the file system
 */
export async function fetchModel(source: ModelSource, effects: FetchEffects): Promise<LocalModel> {
  const { directory, name, sha256, fingerprint } = source;
  refuseModelName(name);
  mkdirSync(directory, { recursive: true });
  const root = realpathSync(directory);
  if (existsSync(join(root, name))) throw takenName(join(root, name));
  const unfinished = join(root, `.unfinished-${name}`);
  rmSync(unfinished, { recursive: true, force: true });
  try {
    mkdirSync(unfinished);
    await fetchFiles(source, unfinished, effects);
    const found = readLocalModel({ root, name: `.unfinished-${name}` });
    if (sha256 !== undefined && found.sha256 !== sha256.toLowerCase())
      throw new ModelProblem(`the file of its weights has the SHA-256 ${found.sha256}, not ${sha256}`);
    if (fingerprint !== undefined && found.fingerprint !== fingerprint.toLowerCase())
      throw new ModelProblem(`the model has the fingerprint ${found.fingerprint}, not ${fingerprint}`);
    syncDirectory(unfinished);
    rename(unfinished, join(root, name));
    syncDirectory(root);
    return { ...found, name };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function fetchFiles(source: ModelSource, unfinished: string, effects: FetchEffects): Promise<void> {
  const place = { root: dirname(unfinished), name: `.unfinished-${source.name}` };
  const fetchSettings = async (path: string) => {
    const isThere = await fetchFile(source, path, largestSettingsBytes, unfinished, effects);
    if (!isThere) effects.onPart(path, 0, 0);
  };
  for (const path of settingsFiles) await fetchSettings(path);
  const { folder } = readLayout(place);
  if (folder !== '') await fetchSettings(`${folder}config.json`);
  const layout = readLayout(place);
  const isGraph = layout.kind !== 'words';
  if (isGraph) for (const path of moreSettings(layout)) await fetchSettings(path);
  await fetchFirst(source, [`${folder}tokenizer.json`], largestTokenizerBytes, unfinished, effects);
  const weights = isGraph ? graphPaths(layout) : [`${folder}model.safetensors`];
  const mostBytes = isGraph ? largestGraphBytes : largestWeightsBytes;
  await fetchFirst(source, weights, mostBytes, unfinished, effects);
}

/** The settings of a transformer or reranker beside those that every model has. */
function moreSettings({ folder, steps }: ModelLayout): readonly string[] {
  const pooling = steps.flatMap((step) => (step.type === 'Pooling' ? [`${step.folder}config.json`] : []));
  return [...inputSettingsFiles.map((name) => `${folder}${name}`), ...pooling];
}

/** Fetches the first file of several that the hub has. @throws ModelProblem if it has none */
async function fetchFirst(
  source: ModelSource,
  paths: readonly string[],
  mostBytes: number,
  unfinished: string,
  effects: FetchEffects,
): Promise<void> {
  for (const path of paths) if (await fetchFile(source, path, mostBytes, unfinished, effects)) return;
  throw new ModelProblem(`${source.url}${paths[0]} does not exist (HTTP 404)`);
}

/** Returns false if the hub does not have the file. */
async function fetchFile(
  { url }: ModelSource,
  path: string,
  mostBytes: number,
  unfinished: string,
  { send, onPart, signal }: FetchEffects,
): Promise<boolean> {
  const target = join(unfinished, path);
  let file: number | undefined;
  try {
    let all = Number.POSITIVE_INFINITY;
    for (let done = 0; done < all; ) {
      const reply = await askPart(`${url}${path}`, done, send, signal);
      if (reply.status === 404 && done === 0) return false;
      const size = sizeIn(reply, done, `${url}${path}`);
      if (size > mostBytes)
        throw new ModelProblem(`${path} has ${size} bytes, and the most are ${mostBytes}`);
      if (all !== Number.POSITIVE_INFINITY && size !== all)
        throw new ModelProblem(`${path} changed while it was fetched`);
      all = size;
      if (file === undefined) {
        mkdirSync(dirname(target), { recursive: true });
        file = openSync(target, 'wx');
      }
      writeWhole(file, reply.body, done);
      done += reply.body.length;
      if (reply.body.length === 0 && done < all)
        throw new ModelProblem(`${path} is cut at ${done} of ${all} bytes`);
      onPart(path, done, all);
    }
    if (file !== undefined) fsyncSync(file);
    syncDirectory(dirname(target));
    return true;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** One part of a file, behind redirects. */
async function askPart(
  address: string,
  from: number,
  send: SendRequest,
  signal: AbortSignal,
): Promise<OutgoingReply> {
  let url = address;
  const headers = { range: `bytes=${from}-${from + partBytes - 1}`, 'accept-encoding': 'identity' };
  for (let count = 0; count <= mostRedirects; count += 1) {
    const request = {
      method: 'GET',
      url,
      headers,
      timeoutMs: partTimeoutMs,
      maxBodyBytes: partBytes,
      signal,
    } as const;
    const reply = await send(request).catch((error) => {
      if (error instanceof SendFailure && error.problem === 'tooLarge')
        throw new ModelProblem(
          `${address} is large, and its server does not send parts of it (Range): fetch from another server, ` +
            'or copy the files of the model into a directory of --models yourself',
        );
      if (error instanceof SendFailure && error.problem !== 'aborted') {
        // The address of a redirect may have a signature that gives access.
        const place = url === address ? '' : ` from ${new URL(url).host}`;
        throw new ModelProblem(`${address} cannot be fetched${place}: ${error.message}`, { cause: error });
      }
      throw error;
    });
    const location = reply.header('location');
    if (!redirects.includes(reply.status) || location === undefined) return reply;
    const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
    if (next === undefined || (url.startsWith('https:') && next.protocol !== 'https:'))
      throw new ModelProblem(`${address} leads to an address that is not one of https`);
    url = next.href;
  }
  throw new ModelProblem(`${address} leads to other addresses more than ${mostRedirects} times`);
}

/** The size of the whole file. @throws ModelProblem for a reply that is not the part that was asked for */
function sizeIn(reply: OutgoingReply, from: number, address: string): number {
  if (reply.status === 200 && from === 0) return reply.body.length;
  if (reply.status === 416 && from === 0) return 0;
  const [, begin, all] = /^bytes (\d+)-\d+\/(\d+)$/.exec(reply.header('content-range') ?? '') ?? [];
  if (reply.status !== 206 || Number(begin) !== from || all === undefined)
    throw new ModelProblem(`${address} was answered with HTTP ${reply.status} instead of a part of the file`);
  return Number(all);
}

function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
    throw takenName(to); // it was made while the files were fetched
  }
}

function takenName(path: string): ModelProblem {
  return new ModelProblem(`${path} exists already: remove it first, or give the model another name`);
}

/** What was renamed or created in a directory is still there when the machine fails. */
function syncDirectory(path: string): void {
  if (process.platform === 'win32') return; // it cannot open directories
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
