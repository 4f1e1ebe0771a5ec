// Reads one model of the providers file.
import { isJsonObject, type JsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { maxDimension } from '../column-types/vector.js';
import type { MemberReader } from './member-reader.js';
import { type DimensionRule, type ModelFacts, modelStatuses, type ProviderModel } from './provider.js';

/** Reads one model of a list; undefined if there are problems. */
export type ReadModel<Model extends ModelFacts> = (
  json: JsonValue,
  place: number,
  base: readonly Model[],
  provider: MemberReader,
) => Model | undefined;

/**
 * `"name"` of a known model, or `{"name", "dimension", "status", "message"}`; `dimension` is a number,
 * `{"least", "most", "default"}` or `{"options", "default"}`.
 */
export const readEmbeddingModel: ReadModel<ProviderModel> = (json, place, base, provider) =>
  readKnownOr(json, place, base, provider, (definition, reader) => {
    const facts = readFacts(reader);
    const known = base.find((model) => model.name === facts?.name);
    const dimension = readDimension(definition, reader) ?? known?.dimension;
    if (dimension === undefined) reader.problem('needs "dimension"');
    if (facts === undefined || dimension === undefined) return undefined;
    return { ...facts, dimension, parameters: known?.parameters ?? [] };
  });

/** Reads a model of a reranking provider, which has no dimension. */
export const readRerankingModel: ReadModel<ModelFacts> = (json, place, base, provider) =>
  readKnownOr(json, place, base, provider, (_, reader) => readFacts(reader));

function readKnownOr<Model extends ModelFacts>(
  json: JsonValue,
  place: number,
  base: readonly Model[],
  provider: MemberReader,
  readDefinition: (json: JsonObject, reader: MemberReader) => Model | undefined,
): Model | undefined {
  if (typeof json === 'string') {
    const known = base.find(({ name }) => name === json);
    if (known === undefined)
      provider.problem(`has "models" with the unknown model "${json}", which needs a definition`);
    return known;
  }
  if (!isJsonObject(json)) {
    provider.problem(`has "models" whose element ${place} is neither a name nor an object`);
    return undefined;
  }
  const reader = provider.inside(json, `"models"[${place}]`);
  const model = readDefinition(json, reader);
  reader.refuseOthers();
  return model;
}

function readFacts(reader: MemberReader): ModelFacts | undefined {
  const name = reader.text('name');
  if (name === undefined) reader.problem('needs "name"');
  const status = reader.choice('status', modelStatuses) ?? 'SUPPORTED';
  const statusMessage = reader.text('message') ?? null;
  return name === undefined ? undefined : { name, status, statusMessage };
}

function readDimension(json: JsonObject, reader: MemberReader): DimensionRule | undefined {
  const rule = json.get('dimension');
  if (rule === undefined || !isJsonObject(rule)) {
    const dimension = reader.integer('dimension', 1, maxDimension);
    return dimension === undefined ? undefined : { kind: 'fixed', dimension };
  }
  reader.take('dimension');
  const inside = reader.inside(rule, '"dimension"');
  const found = rule.has('options') ? readOptions(inside) : readRange(inside);
  inside.refuseOthers();
  return found;
}

function readOptions(reader: MemberReader): DimensionRule | undefined {
  const options = reader.integers('options', 1, maxDimension);
  const preset = reader.integer('default', 1, maxDimension) ?? null;
  if (options === undefined) return undefined;
  if (preset !== null && !options.includes(preset))
    reader.problem('has a "default" that is not one of its options');
  return { kind: 'options', options, default: preset };
}

function readRange(reader: MemberReader): DimensionRule | undefined {
  const least = reader.integer('least', 1, maxDimension);
  const most = reader.integer('most', 1, maxDimension);
  const preset = reader.integer('default', 1, maxDimension) ?? null;
  if (least === undefined || most === undefined || least > most) {
    reader.problem('needs "options", or "least" and "most" with "least" not greater than "most"');
    return undefined;
  }
  if (preset !== null && (preset < least || preset > most))
    reader.problem(`has a "default" that is not from ${least} to ${most}`);
  return { kind: 'range', least, most, default: preset };
}
