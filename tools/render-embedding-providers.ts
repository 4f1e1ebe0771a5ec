// Renders the reference of embedding providers from their registry, and describes the providers file.
import type {
  DimensionRule,
  ProviderEntry,
  ProviderParameter,
} from '../src/data-service/embedding/provider.js';
import { embeddingProviders } from '../src/data-service/embedding/providers/registry.js';
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
  return `${introduction}\n${overview}\n${sections.join('\n')}\n${providersFile}`;
}

const introduction = `A vector column with a \`service\` takes texts: a provider makes vectors of them, in
\`insertOne\`, \`insertMany\`, \`$set\` and \`sort\`. The text is kept only where you put it into another
column. When an embedding fails, nothing of the command is stored. Vectors can be written and searched for
as before.

\`\`\`json
{"createTable": {"name": "notes", "definition": {"columns": {"id": "int", "note": "text",
  "v": {"type": "vector", "service": {"provider": "openai", "modelName": "text-embedding-3-small",
        "authentication": {"providerKey": "my-openai"}}}}, "primaryKey": "id"}}}
\`\`\`

**Keys.** The header \`x-embedding-api-key\` of a command goes first; for bedrock \`x-embedding-access-id\` and
\`x-embedding-secret-id\`. Without it the key store is asked for the name in \`authentication\`. Keys are put
there with \`npx colonnade keys set NAME\`, which reads from standard input, or with \`PUT
/local/embedding-keys/NAME\` on the operations port. The key store is a file in the data directory, encrypted
with AES-256-GCM under \`--key-store-secret\`, or else under a key file beside it that only the owner can read.
Secrets are never given back, nor written to logs and errors.

**Requests.** Texts are sent in batches that the provider takes, at most 8 at a time. A rate limit (with its
Retry-After), a failure of the provider, a time-out and a cut connection are tried again after a growing delay;
all in all a command waits 9 seconds at most.

**Switching off and on.** \`{"alterTable": {"operation": {"dropVectorize": {"columns": ["v"]}}}}\` leaves the
vectors and refuses texts; \`{"addVectorize": {"columns": {"v": {…}}}}\` takes texts again. While the column
holds vectors, only what made them can be added.
`;

const providersFile = `## The providers file

\`--providers-file\` names a JSON file that changes providers and adds servers of your own:

\`\`\`json
{"providers": {
  "cohere": {"enabled": true},
  "openai": {"url": "https://openai-proxy.example/v1/", "models": ["text-embedding-3-small"]},
  "our-gpu": {"format": "openaiCompatible", "url": "http://10.0.0.7:8080/v1/",
              "models": [{"name": "bge-m3", "dimension": 1024}]}}}
\`\`\`

If the file has problems, the server reports all of them at the start and exits with code 2.
All members are optional, except those that a server of your own needs:

${renderTable(
  ['member', 'what it says'],
  [
    ['`format`', '`openaiCompatible`, for a provider of your own; it needs `url` and `models` as well'],
    ['`url`', 'where requests go; `{name}` stands for a parameter, `{model}` for the model'],
    ['`enabled`', '`false` takes the provider away, `true` offers one that is off'],
    ['`regions`', 'the values of `--region` with which it is offered; without it all'],
    [
      '`models`',
      'the whole list: names of known models, or objects with `name`, `dimension`, `status` (`SUPPORTED`, `DEPRECATED`, `END_OF_LIFE`) and `message`',
    ],
    ['`dimension` of a model', 'a number, `{"least", "most", "default"}` or `{"options", "default"}`'],
    ['`authentication`', 'an array out of `none`, `header`, `sharedSecret` (the key store)'],
    ['`displayName`', 'its title'],
    [
      '`maxBatchSize` `timeoutMs` `maxAttempts`',
      'texts in a request; time for one request; requests at most, the first included',
    ],
  ],
)}`;

function renderProvider(name: string, help: string, entry: ProviderEntry): string {
  const facts = [
    `- URL: ${entry.url === null ? 'none' : `\`${entry.url}\``}`,
    `- offered: ${offer(entry)}`,
    `- key: ${keyOf(entry)}`,
    ...entry.parameters.map((parameter) => `- parameter ${parameterText(parameter)}`),
  ];
  const rows = entry.models.map((model) => [
    `\`${model.name}\``,
    dimensionText(model.dimension),
    model.parameters.map(parameterText).join('; '),
  ]);
  const models =
    rows.length === 0
      ? 'Its models stand in the providers file.\n'
      : renderTable(['model', 'dimensions', 'parameters'], rows);
  return `## ${name}\n\n${help}\n\n${facts.join('\n')}\n\n${models}`;
}

function offer({ isEnabled, regions }: ProviderEntry): string {
  if (!isEnabled) return 'where the providers file enables it';
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
  return preset === null ? 'to be said' : `default ${preset}`;
}
