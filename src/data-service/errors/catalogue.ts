// The table of all errors and warnings, by group. docs/errors.md is generated from it.
import {
  collectionFilterErrors,
  collectionSchemaErrors,
  collectionSortErrors,
  collectionValueErrors,
} from './collection-errors.js';
import { documentUpdateErrors, hybridErrors, storedDocumentErrors } from './document-errors.js';
import type { ErrorEntry } from './error-entry.js';
import { filterErrors, sortErrors } from './filter-errors.js';
import { indexErrors } from './index-errors.js';
import {
  newCollectionDatabaseErrors,
  newCollectionRequestErrors,
  newCollectionSchemaErrors,
} from './new-collection-errors.js';
import { requestErrors, securityErrors } from './request-errors.js';
import { rerankingErrors, rerankingRequestErrors, rerankingSchemaErrors } from './reranking-errors.js';
import { documentErrors, projectionErrors, updateErrors } from './row-errors.js';
import { schemaErrors } from './schema-errors.js';
import { databaseErrors, serverErrors } from './server-errors.js';
import { userTypeErrors } from './user-type-errors.js';
import { embeddingErrors, vectorizeSchemaErrors } from './vectorize-errors.js';
import { warnings } from './warnings.js';

/** Whether the request or the server caused the error. */
export type ErrorFamily = 'REQUEST' | 'SERVER';

/** Group → family, scope and codes. A code may be in several groups with different scopes. */
export const catalogue = {
  request: {
    family: 'REQUEST',
    scope: '',
    codes: { ...requestErrors, ...newCollectionRequestErrors, ...hybridErrors, ...rerankingRequestErrors },
  },
  security: { family: 'REQUEST', scope: 'SECURITY', codes: securityErrors },
  document: {
    family: 'REQUEST',
    scope: 'DOCUMENT',
    codes: { ...documentErrors, ...collectionValueErrors, ...storedDocumentErrors },
  },
  update: { family: 'REQUEST', scope: 'UPDATE', codes: { ...updateErrors, ...documentUpdateErrors } },
  projection: { family: 'REQUEST', scope: 'PROJECTION', codes: projectionErrors },
  filter: { family: 'REQUEST', scope: 'FILTER', codes: { ...filterErrors, ...collectionFilterErrors } },
  sort: { family: 'REQUEST', scope: 'SORT', codes: { ...sortErrors, ...collectionSortErrors } },
  schema: {
    family: 'REQUEST',
    scope: 'SCHEMA',
    codes: {
      ...schemaErrors,
      ...indexErrors,
      ...userTypeErrors,
      ...vectorizeSchemaErrors,
      ...collectionSchemaErrors,
      ...newCollectionSchemaErrors,
      ...rerankingSchemaErrors,
    },
  },
  warning: { family: 'REQUEST', scope: 'WARNING', codes: warnings },
  server: { family: 'SERVER', scope: '', codes: serverErrors },
  database: {
    family: 'SERVER',
    scope: 'DATABASE',
    codes: { ...databaseErrors, ...newCollectionDatabaseErrors },
  },
  embedding: { family: 'SERVER', scope: 'EMBEDDING_PROVIDER', codes: embeddingErrors },
  reranking: { family: 'SERVER', scope: 'RERANKING_PROVIDER', codes: rerankingErrors },
} as const satisfies Readonly<
  Record<string, { family: ErrorFamily; scope: string; codes: Readonly<Record<string, ErrorEntry<never>>> }>
>;

/** The name of a group of codes. */
export type ErrorGroup = keyof typeof catalogue;
/** The codes of a group. */
export type ErrorCode<Group extends ErrorGroup> = keyof (typeof catalogue)[Group]['codes'] & string;

/** The parameters of a code's message. */
export type ErrorParameters<Group extends ErrorGroup, Code extends ErrorCode<Group>> =
  (typeof catalogue)[Group]['codes'][Code] extends ErrorEntry<infer Parameters> ? Parameters : never;
