// Models in files of this machine, in the directory that --models names.
import { fixedModel, makeEntry } from '../entry-parts.js';
import type { EmbeddingProvider, ProviderEntry, ProviderParameter } from '../provider.js';
import { ProviderFailure } from '../provider-failure.js';

/** The name of the provider. */
const name = 'local';
/** The parameter that keeps with which files the vectors of a column were made. */
const fingerprintParameter = 'fingerprint';

/** It compares meaning as well as its models do. Its entry gets the models from `withLocalModels`. */
export const local: EmbeddingProvider = {
  name,
  help: 'Trained models in files of this machine, in the directory of `--models`. Needs no key and no network.',
  entry: makeEntry({
    displayName: 'Local models (files of this machine)',
    url: null,
    isEnabled: false,
    wayToEnable: 'start it with --models DIRECTORY',
    authentication: { none: true, header: false, sharedSecret: false },
    secrets: [],
    models: [],
    // Waiting has an end of its own, and what fails here fails again.
    limits: { maxBatchSize: 100, timeoutMs: 9_000, maxAttempts: 1 },
  }),
  embed: async ({ model, parameters, purpose, texts, timeoutMs, signal, onCut }, { localModels }) => {
    const present = model.parameters.find((parameter) => parameter.name === fingerprintParameter)?.default;
    const stored = parameters[fingerprintParameter];
    if (typeof present !== 'string')
      throw new ProviderFailure('unreachable', 'the directory of --models has no such model');
    if (stored !== present) throw new ProviderFailure('unreachable', otherModel(String(stored), present));
    const wanted = { model: model.name, fingerprint: present, purpose, texts, timeoutMs, signal };
    const { vectors, cut } = await localModels.embed(wanted);
    if (cut !== undefined) onCut?.(cut);
    return vectors;
  },
};

/** The entry of a server that has these models. */
export function withLocalModels(
  models: readonly { readonly name: string; readonly dimension: number; readonly fingerprint: string }[],
): ProviderEntry {
  const described = models.map((model) =>
    fixedModel(model.name, model.dimension, [fingerprintOf(model.fingerprint)]),
  );
  return { ...local.entry, isEnabled: true, models: described };
}

function fingerprintOf(fingerprint: string): ProviderParameter {
  return {
    name: fingerprintParameter,
    type: 'string',
    isRequired: false,
    default: fingerprint,
    options: [fingerprint],
    isKept: true,
    help:
      'A hash of the weights, the tokenizer and the settings of the model. Without it the server adds that of its ' +
      'present files: vectors of other files cannot be compared with it.',
  };
}

function otherModel(stored: string, present: string): string {
  return (
    `the vectors here were made with files of the fingerprint ${stored}, and the model of this name now has ` +
    `${present}; vectors of both cannot be compared. Put the former files back, or give the new ones another name ` +
    'and embed the texts again in a new column or collection'
  );
}
