// `colonnade models`: lists, checks and fetches the models in files of this machine.
import { ConfigProblems, loadFilesConfig } from '../foundation/config/load-config.js';
import type { Clock } from '../foundation/telemetry/clock.js';
import { type CliCommand, exitInterrupted, misused } from './cli-command.js';
import { withArguments } from './read-arguments.js';
import {
  outputOptions,
  outputOptionsHelp,
  type ResultOutput,
  resultOutput,
  sizeText,
} from './result-output.js';

/** A model of the directory. */
export interface ListedModel {
  readonly name: string;
  readonly kind: 'words' | 'transformer' | 'reranker';
  /** The number of elements of its vectors; a reranker makes none. */
  readonly dimension?: number;
  readonly fingerprint: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** What to fetch: see `ModelSource` of the data service. */
export interface WantedModel {
  readonly url: string;
  readonly directory: string;
  readonly name: string;
  readonly sha256?: string | undefined;
  readonly fingerprint?: string | undefined;
}

/** What the command needs from the process. */
export interface ModelsSurroundings {
  readonly clock: Clock;
  readonly onInterrupt: () => AbortSignal;
  /** Reads the files of all models; problems are sentences with the path of the model. */
  readonly list: (
    directory: string,
  ) => Promise<{ readonly models: readonly ListedModel[]; readonly problems: readonly string[] }>;
  /** Loads a model as the server does at its first text. A text is what is wrong with it. */
  readonly check: (directory: string, name: string) => Promise<string | undefined>;
  /** A text is why there is no such model now. */
  readonly fetchModel: (
    wanted: WantedModel,
    onPart: (path: string, doneBytes: number, allBytes: number) => void,
    signal: AbortSignal,
  ) => Promise<ListedModel | string>;
}

/** The command. Its exit codes: 0 done, 1 a model cannot be used or fetched, 2 wrong use, 130 interrupted. */
export function modelsCommand(surroundings: ModelsSurroundings): CliCommand {
  return {
    name: 'models',
    summary: 'lists, checks and fetches trained models in files',
    help: () => usage,
    run: async (args, output) => {
      const asked = readArguments(args);
      if (typeof asked === 'string') return misused(output, 'models', asked);
      const result = resultOutput(asked, output, surroundings.clock);
      switch (asked.action) {
        case 'list':
          return list(asked, surroundings, result);
        case 'check':
          return check(asked, surroundings, result);
        case 'fetch':
          return fetchOne(asked, surroundings, result);
      }
    },
  };
}

type Asked = { readonly directory: string; readonly isJson: boolean; readonly isQuiet: boolean } & (
  | { readonly action: 'list' | 'check' }
  | { readonly action: 'fetch'; readonly wanted: WantedModel }
);

const ownOptions = {
  models: { type: 'string' },
  config: { type: 'string' },
  name: { type: 'string' },
  sha256: { type: 'string' },
  fingerprint: { type: 'string' },
} as const;

/** The arguments, or a message about them. */
function readArguments(args: readonly string[]): Asked | string {
  const options = { ...ownOptions, ...outputOptions };
  return withArguments(
    args,
    { options, allowPositionals: true },
    ({ values, positionals }): Asked | string => {
      const [action, url, ...more] = positionals;
      if (action !== 'list' && action !== 'check' && action !== 'fetch')
        return 'the action must be list, check or fetch';
      if (more.length > 0 || (action !== 'fetch' && url !== undefined))
        return `${action} has too many arguments`;
      const directory = directoryOf(values);
      if ('problem' in directory) return directory.problem;
      const common = { ...directory, isJson: values.json ?? false, isQuiet: values.quiet ?? false };
      const { name, sha256, fingerprint } = values;
      if (action !== 'fetch')
        return [name, sha256, fingerprint].some((value) => value !== undefined)
          ? '--name, --sha256 and --fingerprint are for fetch only'
          : { ...common, action };
      if (url === undefined || !/^https?:\/\//.test(url) || !URL.canParse(url))
        return 'fetch needs the address of the files, which begins with https:// or http://';
      if (name === undefined) return 'fetch needs the name of the model: --name NAME';
      if (sha256 === undefined && fingerprint === undefined)
        return 'fetch needs a checksum: --sha256 of its weights, or --fingerprint of the model';
      const problem = wrongDigits('--sha256', sha256, 64) ?? wrongDigits('--fingerprint', fingerprint, 32);
      if (problem !== undefined) return problem;
      const base = url.endsWith('/') ? url : `${url}/`;
      return { ...common, action, wanted: { url: base, ...directory, name, sha256, fingerprint } };
    },
  );
}

/** What is wrong with a checksum; undefined for a right one, or none. */
function wrongDigits(option: string, value: string | undefined, count: number): string | undefined {
  const isRight = value === undefined || (value.length === count && /^[0-9a-f]+$/i.test(value));
  return isRight ? undefined : `${option} must have ${count} hexadecimal digits`;
}

function directoryOf(values: {
  readonly models?: string | undefined;
  readonly config?: string | undefined;
}): { readonly directory: string } | { readonly problem: string } {
  const given = (['models', 'config'] as const).flatMap((option) => {
    const value = values[option];
    return value === undefined ? [] : [`--${option}=${value}`];
  });
  try {
    const { models } = loadFilesConfig(given);
    return models === undefined
      ? { problem: 'name the directory of models: --models DIR' }
      : { directory: models };
  } catch (error) {
    if (error instanceof ConfigProblems) return { problem: error.message };
    throw error;
  }
}

async function list(
  { directory }: Asked,
  surroundings: ModelsSurroundings,
  result: ResultOutput,
): Promise<number> {
  const { models, problems } = await surroundings.list(directory);
  for (const model of models) result.line(lineOf(model));
  for (const problem of problems) result.problem(problem);
  if (models.length + problems.length === 0) result.line(`${directory} has no models`);
  return result.end(problems.length === 0 ? 0 : 1, { directory, models });
}

async function check(
  { directory }: Asked,
  surroundings: ModelsSurroundings,
  result: ResultOutput,
): Promise<number> {
  const { models, problems } = await surroundings.list(directory);
  const checked: ListedModel[] = [];
  for (const problem of problems) result.problem(problem);
  for (const model of models) {
    const problem = await surroundings.check(directory, model.name);
    if (problem === undefined) checked.push(model);
    else result.problem(`${model.name}: ${problem}`);
  }
  for (const model of checked) result.line(`${lineOf(model)}  can be used`);
  if (models.length + problems.length === 0) result.line(`${directory} has no models`);
  const isRight = checked.length === models.length && problems.length === 0;
  return result.end(isRight ? 0 : 1, { directory, models: checked });
}

async function fetchOne(
  { directory, ...asked }: Asked,
  { onInterrupt, fetchModel }: ModelsSurroundings,
  result: ResultOutput,
): Promise<number> {
  if (asked.action !== 'fetch') throw new TypeError('there is nothing to fetch');
  const interrupted = onInterrupt();
  const onPart = (path: string, done: number, all: number) =>
    result.progress(path, all === 0 ? undefined : done / all);
  const fetched = await fetchModel(asked.wanted, onPart, interrupted);
  if (typeof fetched === 'string') {
    result.problem(interrupted.aborted ? 'interrupted; there is no new model' : fetched);
    return result.end(interrupted.aborted ? exitInterrupted : 1);
  }
  result.line(lineOf(fetched));
  return result.end(0, { directory, models: [fetched] });
}

function lineOf({ name, kind, dimension, sizeBytes, fingerprint }: ListedModel): string {
  const makes = dimension === undefined ? 'ranks passages' : `${dimension} dimensions`;
  return `${name}  ${kind}  ${makes}  ${sizeText(sizeBytes)}  fingerprint ${fingerprint}`;
}

const usage = `Lists, checks and fetches trained models in files, for the embedding and reranking providers "local".
The server reads them at its start: start it again after a change.

Usage: colonnade models list                    the models with their kinds and dimensions
       colonnade models check                   also loads each of them, as the server does
       colonnade models fetch URL --name NAME   fetches the files below URL into the directory NAME

A hub has the files of a model below an address such as https://HOST/OWNER/MODEL/resolve/main.
There must be tokenizer.json and model.safetensors, or onnx/model.onnx for transformers and rerankers,
which also need the package onnxruntime-node. A model that is fetched in part, or that has
another checksum, is not listed.

Options:
  --models DIR
      The directory of models. [environment: COLONNADE_MODELS]
  --config FILE
      The server's config file. [environment: COLONNADE_CONFIG]
  --name NAME
      The name of the new model.
  --sha256 HEX
      The SHA-256 of model.safetensors, or of onnx/model.onnx, as the hub shows it.
  --fingerprint HEX
      The fingerprint of the model, as another server lists it. fetch needs this or --sha256.
${outputOptionsHelp}
Exit codes: 0 done, 1 a model cannot be used or fetched, 2 the command line cannot be used,
130 interrupted.
`;
