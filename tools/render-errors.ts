// Renders the reference of errors and warnings from their catalogue.
import { catalogue } from '../src/data-service/errors/catalogue.js';
import type { ErrorEntry } from '../src/data-service/errors/error-entry.js';
import { renderTable } from './render-table.js';

const headings: Readonly<Record<keyof typeof catalogue, string>> = {
  request: 'Requests',
  security: 'Tokens',
  document: 'Rows to insert',
  update: 'Updates',
  projection: 'Projections',
  filter: 'Filters',
  sort: 'Sorts',
  schema: 'Keyspaces and tables',
  warning: 'Warnings',
  server: 'Failures of the server',
  database: 'Failures of the storage',
  embedding: 'Failures of embedding providers',
  reranking: 'Failures of reranking providers',
};

/** The text below the title of docs/errors.md. */
export function renderErrors(): string {
  return `${introduction}\n${Object.entries(catalogue).map(renderGroup).join('\n')}`;
}

const introduction = `An error is an object in the member \`errors\` of a reply:
\`{"id":"…","family":"REQUEST","scope":"SCHEMA","errorCode":"UNKNOWN_KEYSPACE","title":"…","message":"…"}\`.
Each error has a new \`id\`. The \`title\` is the same for every error of a code. The \`message\` says what
happened, with the values, and what to do. A code can be in several scopes: the scope and the code together
identify the error. The family \`REQUEST\` means that the command must be changed; \`SERVER\` means that the
server, its storage or a provider failed. Warnings have the same members and are in
\`status.warnings\`. The HTTP status is 200 unless the table says otherwise.

Other HTTP statuses are 401 for a wrong or missing token or a missing permission, 404 for an unknown path, 405 for a
method other than POST, 413 for a body that is too large (send fewer documents in one request), 415 for another
\`Content-Type\` than \`application/json\` or another \`Content-Encoding\` than \`gzip\`, and 503 when the server is too
busy ([limits](limits.md)).
`;

type Group = (typeof catalogue)[keyof typeof catalogue];

function renderGroup([name, { family, scope, codes }]: readonly [string, Group]): string {
  const entries: readonly (readonly [string, ErrorEntry<never>])[] = Object.entries(codes);
  const rows = entries.map(([code, { title, when, httpStatus }]) => {
    const status = httpStatus === undefined ? '' : ` HTTP status ${httpStatus}.`;
    return [`\`${code}\``, title, when + status];
  });
  const heading = Object.entries(headings).find(([group]) => group === name)?.[1] ?? name;
  const common = `Family \`${family}\`, ${scope === '' ? 'no scope (`""`)' : `scope \`${scope}\``}.`;
  return `## ${heading}\n\n${common}\n\n${renderTable(['code', 'title', 'when'], rows)}`;
}
