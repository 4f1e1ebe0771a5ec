// Renders the reference of embedding providers from their registry, and describes the providers file.
import type {
  DimensionRule,
  ProviderEntry,
  ProviderParameter,
} from '../src/data-service/embedding/provider.js';
import { embeddingProviders } from '../src/data-service/embedding/providers/registry.js';
import { rerankingProviders } from '../src/data-service/embedding/rerankers/registry.js';
import { renderTable } from './render-table.js';

/** The text below the title of docs/embedding-providers.md. */
export function renderEmbeddingProviders(): string {
  const rows = embeddingProviders.map(({ name, help, entry }) => [
    `[\`${name}\`](#${name.toLowerCase()})`,
    help,
    entry.isEnabled ? 'yes' : 'no',
    String(entry.limits.maxBatchSize),
  ]);
  const overview = renderTable(['provider', 'what it is', 'enabled', 'texts in a request'], rows);
  const sections = embeddingProviders.map(({ name, help, entry }) => renderProvider(name, help, entry));
  return `${introduction}\n${overview}\n${sections.join('\n')}\n${renderRerankers()}\n${providersFile}`;
}

function renderRerankers(): string {
  const rows = rerankingProviders.map(({ name, help, entry }) => [
    `\`${name}\``,
    help,
    entry.url === null ? 'none' : `\`${entry.url}\``,
    entry.secrets.length === 0 ? 'none' : `header \`${entry.secrets[0]?.header}\`, or the key store`,
    entry.models.map((model) => `\`${model.name}\``).join(', '),
  ]);
  return `${reranking}\n${renderTable(['provider', 'what it is', 'URL', 'key', 'models'], rows)}`;
}

const reranking = `## Reranking providers

\`findAndRerank\` on a collection of documents orders what a search by vector and a search by words found. The provider
and the model are those of the option \`rerank\` of the collection, or of the command; without the option they are
\`colonnade\` and \`reciprocal-rank-fusion\`. \`findRerankingProviders\` lists them.

\`\`\`json
{"createCollection": {"name": "notes", "options": {
  "vector": {"service": {"provider": "colonnade", "modelName": "hashed-ngrams"}},
  "rerank": {"enabled": true, "service": {"provider": "nvidia", "modelName": "nvidia/llama-3.2-nv-rerankqa-1b-v2"}}}}}
\`\`\`

A command sends the key in the header \`reranking-api-key\` (or \`x-rerank-api-key\`, as the TypeScript client does).
Without it the server uses the entry \`reranking-PROVIDER\` of the key store, if there is one:
\`npx --no-install colonnade keys set reranking-nvidia\`. The token of the database is never sent to a provider.
A request has 10 passages, and 100 for local models; time limits and retries are those of embeddings.
`;

const introduction = `A vector column with a \`service\` accepts texts in \`insertOne\`, \`insertMany\`,
\`$set\` and \`sort\`: an embedding provider makes the vectors from them. The text itself is not stored; write
it to another column to keep it. If an embedding fails, nothing of the command is stored. The column accepts
vectors, too.

\`\`\`json
{"createTable": {"name": "notes", "definition": {"columns": {"id": "int", "note": "text",
  "v": {"type": "vector", "service": {"provider": "openai", "modelName": "text-embedding-3-small",
        "authentication": {"providerKey": "my-openai"}}}}, "primaryKey": "id"}}}
\`\`\`

**Keys.** A command can send the key in the header \`x-embedding-api-key\`; for bedrock in \`x-embedding-access-id\` and
\`x-embedding-secret-id\`. Without the header the server uses the key of the key store that \`authentication\`
names. Add keys with \`npx --no-install colonnade keys set NAME\`, which reads from standard input, or with \`PUT
/local/embedding-keys/NAME\` on the operations port. The key store is a file in the data directory, encrypted
with AES-256-GCM. The encryption key comes from \`--key-store-secret\`, or else from a key file next to it that
only the owner can read. Secrets are never returned, and never written to logs or errors.

**Who gets a key.** A client that creates tables or collections can name any key of the key store for any provider.
\`keys set NAME --provider openai\`, or \`"providers": ["openai"]\` in the body, stores a key that only these
providers get. A key that is set again without it keeps its providers; to give it to all providers, delete it and set
it again. With huggingfaceDedicated the definition of the column names the server, which may belong to anyone: it gets
only keys that are stored for it, or that a command sends.
A key \`reranking-PROVIDER\` is for this provider unless its entry names others.

**Requests.** The server sends texts in batches of the size that the provider allows, at most 8 batches at the
same time. It tries again, after a growing delay, when the provider limits the rate (with its Retry-After),
fails, takes too long or loses the connection. A command waits for at most 9 seconds in all.

**Models of this machine.** The provider \`local\` runs trained models in files, without a key and without a network:
[local models](local-models.md).

**Removing and adding the service.** \`{"alterTable": {"operation": {"dropVectorize": {"columns": ["v"]}}}}\` keeps the
vectors, and the column then refuses texts. \`{"addVectorize": {"columns": {"v": {…}}}}\` adds a service again. While
the column has vectors, only the service that made them can be added.
`;

const providersFile = `## The providers file

\`--providers-file\` names a JSON file that changes embedding providers (\`providers\`) and reranking providers
(\`rerankers\`), and adds your own:

\`\`\`json
{"providers": {
  "cohere": {"enabled": true},
  "openai": {"url": "https://openai-proxy.example/v1/", "models": ["text-embedding-3-small"]},
  "our-gpu": {"format": "openaiCompatible", "url": "http://10.0.0.7:8080/v1/",
              "models": [{"name": "bge-m3", "dimension": 1024}]}},
 "rerankers": {
  "nim": {"format": "nvidia", "url": "http://10.0.0.8:8000/v1/ranking", "authentication": ["none"],
          "models": [{"name": "nvidia/llama-3.2-nv-rerankqa-1b-v2"}]}}}
\`\`\`

If the file has problems, the server reports all of them at the start and exits with code 2.
All members are optional, except those that your own provider needs:

${renderTable(
  ['member', 'meaning'],
  [
    [
      '`format`',
      '`openaiCompatible` (for `rerankers`: `nvidia`), for your own provider, which also needs `url` and `models`',
    ],
    ['`url`', 'where requests go; `{name}` stands for a parameter, `{model}` for the model'],
    ['`enabled`', '`false` disables the provider, `true` enables a provider that is disabled by default'],
    ['`regions`', 'the values of `--region` for which the provider is available; default: all'],
    [
      '`models`',
      'the complete list: names of known models, or objects with `name`, `dimension`, `status` (`SUPPORTED`, `DEPRECATED`, `END_OF_LIFE`) and `message`',
    ],
    ['`dimension` of a model', 'a number, `{"least", "most", "default"}` or `{"options", "default"}`'],
    ['`authentication`', 'an array of `none`, `header` and `sharedSecret` (the key store)'],
    ['`displayName`', 'its title'],
    [
      '`maxBatchSize` `timeoutMs` `maxAttempts`',
      'maximum number of texts in a request; time limit of one request; maximum number of requests, including the first',
    ],
  ],
)}`;

function renderProvider(name: string, help: string, entry: ProviderEntry): string {
  const facts = [
    `- URL: ${entry.url === null ? 'none' : `\`${entry.url}\``}`,
    `- available: ${offer(entry)}`,
    `- key: ${keyOf(entry)}`,
    ...entry.parameters.map((parameter) => `- parameter ${parameterText(parameter)}`),
  ];
  const rows = entry.models.map((model) => [
    `\`${model.name}\``,
    dimensionText(model.dimension),
    model.parameters.map(parameterText).join('; '),
  ]);
  const source = entry.secrets.length === 0 ? 'directory of `--models`' : 'providers file';
  const models =
    rows.length === 0
      ? `The ${source} defines its models.\n`
      : renderTable(['model', 'dimensions', 'parameters'], rows);
  return `## ${name}\n\n${help}\n\n${facts.join('\n')}\n\n${models}`;
}

function offer({ isEnabled, regions, wayToEnable }: ProviderEntry): string {
  if (!isEnabled) return `not without an option: ${wayToEnable}`;
  return regions === null ? 'everywhere' : `with \`--region\` ${regions.join(', ')}`;
}

function keyOf({ secrets, authentication }: ProviderEntry): string {
  if (secrets.length === 0) return 'none';
  const headers = secrets.map(({ header }) => `\`${header}\``).join(' and ');
  const members = secrets.map(({ member }) => `\`${member}\``).join(' and ');
  const optional = authentication.none ? 'may be left out; otherwise ' : '';
  return `${optional}header ${headers}, or ${members} in the key store`;
}

function parameterText({ name, type, isRequired, options, help }: ProviderParameter): string {
  const values = options === undefined ? type : options.map((option) => `\`${option}\``).join(', ');
  return `\`${name}\` (${values}${isRequired ? ', required' : ''}): ${help}`;
}

function dimensionText(rule: DimensionRule): string {
  switch (rule.kind) {
    case 'fixed':
      return String(rule.dimension);
    case 'range':
      return `${rule.least} to ${rule.most}, ${presetText(rule.default)}`;
    case 'options':
      return `${rule.options.join(', ')}; ${presetText(rule.default)}`;
  }
}

function presetText(preset: number | null): string {
  return preset === null ? 'required' : `default ${preset}`;
}
