// Collections in the form of findCollections, and whether two have the same settings.
import { type JsonText, stringifyJson } from '../../foundation/json/json-value.js';
import { equalIndexing, writeIndexing } from '../documents/indexing.js';
import type { Collection } from './collection.js';
import type { CollectionSettings } from './collection-settings.js';
import { describeEmbeddingService, isSameEmbeddingService } from './embedding-service.js';

/** `{"name": …, "options": …}`; settings that the collection does not have are absent, except lexical and rerank. */
export function describeCollection({ name, collection }: Pick<Collection, 'name' | 'collection'>): JsonText {
  const { defaultId, vector, indexing, lexical, rerank } = collection;
  const service = vector?.service;
  const members = [
    defaultId === undefined ? undefined : `"defaultId":{"type":"${defaultId}"}`,
    vector === undefined
      ? undefined
      : `"vector":{"dimension":${vector.dimension},"metric":"${vector.metric}","sourceModel":"${vector.sourceModel}"` +
        `${service === undefined ? '' : `,"service":${describeEmbeddingService(service)}`}}`,
    indexing === undefined ? undefined : `"indexing":${stringifyJson(writeIndexing(indexing))}`,
    lexical === undefined
      ? '"lexical":{"enabled":false}'
      : `"lexical":{"enabled":true,"analyzer":${lexical.analyzer}}`,
    rerank === undefined
      ? '"rerank":{"enabled":false}'
      : `"rerank":{"enabled":true,"service":${rerankText(rerank)}}`,
  ];
  const options = members.filter((member) => member !== undefined).join(',');
  return `{"name":${JSON.stringify(name)},"options":{${options}}}`;
}

function rerankText({ provider, modelName }: NonNullable<CollectionSettings['rerank']>): JsonText {
  return JSON.stringify({ provider, modelName });
}

/** Whether two collections with these settings are the same. */
export function equalSettings(left: CollectionSettings, right: CollectionSettings): boolean {
  return (
    left.defaultId === right.defaultId &&
    equalVectors(left.vector, right.vector) &&
    equalIndexing(left.indexing, right.indexing) &&
    left.lexical?.analyzer === right.lexical?.analyzer &&
    left.rerank?.provider === right.rerank?.provider &&
    left.rerank?.modelName === right.rerank?.modelName
  );
}

function equalVectors(left: CollectionSettings['vector'], right: CollectionSettings['vector']): boolean {
  if (left === undefined || right === undefined) return left === right;
  const hasSameService =
    left.service === undefined || right.service === undefined
      ? left.service === right.service
      : isSameEmbeddingService(left.service, right.service);
  return (
    left.dimension === right.dimension &&
    left.metric === right.metric &&
    left.sourceModel === right.sourceModel &&
    hasSameService
  );
}
