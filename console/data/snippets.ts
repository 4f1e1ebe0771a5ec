// Writes a command in other forms: for curl, and for the official clients for TypeScript and Python.
import { isList, isNumber, isObject, type Json, type JsonObject, writeJson } from '../json/exact-json.js';
import { bodyOf, type Command, pathOf } from './command.js';
import { isLong, isWhole, longNumbersIn } from './long-numbers.js';

export const snippetForms = ['JSON', 'curl', 'TypeScript', 'Python'] as const;

export type SnippetForm = (typeof snippetForms)[number];

/** Where the clients find the server. */
export interface SnippetServer {
  /** The address of the data port. */
  readonly url: string;
  readonly needsToken: boolean;
}

/** Writes a command in a form, ready to be run. */
export function snippetOf(form: SnippetForm, command: Command, server: SnippetServer): string {
  switch (form) {
    case 'JSON':
      return `POST /${pathOf(command.target)}\n\n${writeJson(bodyOf(command), 2)}`;
    case 'curl':
      return curlOf(command, server);
    case 'TypeScript':
      return typeScriptOf(command, server);
    case 'Python':
      return pythonOf(command, server);
  }
}

function curlOf(command: Command, { url, needsToken }: SnippetServer): string {
  const token = needsToken ? `-H "Token: $COLONNADE_TOKEN" ` : '';
  const body = shellQuoted(writeJson(bodyOf(command)));
  const address = shellQuoted(`${url}/${pathOf(command.target)}`);
  return `curl -s ${address} ${token}-H 'Content-Type: application/json' -d ${body}`;
}

/** Puts a text in single quotes, in which a shell changes nothing. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function typeScriptOf(command: Command, { url, needsToken }: SnippetServer): string {
  const { keyspace, name, kind = 'table' } = command.target;
  const token = needsToken ? ', token: process.env.COLONNADE_TOKEN' : '';
  const space = keyspace === undefined ? '' : `keyspace: ${singleQuoted(keyspace)}`;
  const options = [space, token.slice(2)].filter((part) => part !== '').join(', ');
  const long = longNumbersIn(command.body);
  const names = long.every(isWhole) ? 'DataAPIClient' : 'BigNumber, DataAPIClient';
  const lines = [
    `import { ${names} } from '@datastax/astra-db-ts';`,
    '',
    `const client = new DataAPIClient({ environment: 'other' });`,
    `const db = client.db(${singleQuoted(url)}${options === '' ? '' : `, { ${options} }`});`,
  ];
  // Tables write long numbers as they are; collections are asked to.
  const exact =
    kind === 'collection' && long.length > 0 ? `, { serdes: { enableBigNumbers: () => 'bignumber' } }` : '';
  if (name !== undefined) lines.push(`const ${kind} = db.${kind}(${singleQuoted(name)}${exact});`);
  return [...lines, '', typeScriptCall(command)].join('\n');
}

function typeScriptCall({ target, name, body }: Command): string {
  const { kind = 'table' } = target;
  const write = (value: Json | undefined) => literalOf(value ?? {}, typeScript, 0);
  const { filter = {}, options = {}, documents, update, replacement, ...rest } = body;
  const more = mergedOptions(rest, options);
  const tail = isEmpty(more) ? '' : `, ${write(more)}`;
  switch (name) {
    case 'find':
    case 'findAndRerank':
      return `for await (const found of ${kind}.${name}(${write(filter)}${tail})) {\n  console.log(found);\n}`;
    case 'findOne':
      return `console.log(await ${kind}.findOne(${write(filter)}${tail}));`;
    case 'insertMany':
      return `await ${kind}.insertMany(${write(documents)}${tail});`;
    case 'updateOne':
      return `await ${kind}.updateOne(${write(filter)}, ${write(update)}${tail});`;
    case 'findOneAndReplace':
      return `await ${kind}.findOneAndReplace(${write(filter)}, ${write(replacement)}${tail});`;
    case 'deleteOne':
    case 'deleteMany':
      return `await ${kind}.${name}(${write(filter)}${tail});`;
    default: {
      const place = target.name === undefined ? '' : `, { ${kind}: ${singleQuoted(target.name)} }`;
      const all = target.keyspace === undefined ? ', { keyspace: null }' : place;
      return `console.log(await db.command(${write({ [name]: body })}${all}));`;
    }
  }
}

function pythonOf(command: Command, { url, needsToken }: SnippetServer): string {
  const { keyspace, name, kind = 'table' } = command.target;
  const options = [
    ...(keyspace === undefined ? [] : [`keyspace=${quoted(keyspace)}`]),
    ...(needsToken ? ['token=os.environ["COLONNADE_TOKEN"]'] : []),
  ];
  const hasDecimals = !longNumbersIn(command.body).every(isWhole);
  const isExact = hasDecimals && kind === 'collection';
  const lines = [
    ...(needsToken ? ['import os'] : []),
    ...(hasDecimals ? ['from decimal import Decimal'] : []),
    ...(needsToken || hasDecimals ? [''] : []),
    'from astrapy import DataAPIClient',
    ...(isExact ? ['from astrapy.api_options import APIOptions, SerdesOptions'] : []),
    '',
    'client = DataAPIClient(environment="other")',
    `db = client.get_database(${[quoted(url), ...options].join(', ')})`,
  ];
  const exact = isExact
    ? ', spawn_api_options=APIOptions(serdes_options=SerdesOptions(use_decimals_in_collections=True))'
    : '';
  if (name !== undefined) lines.push(`${kind} = db.get_${kind}(${quoted(name)}${exact})`);
  return [...lines, '', pythonCall(command)].join('\n');
}

function pythonCall({ target, name, body }: Command): string {
  const { kind = 'table' } = target;
  const write = (value: Json | undefined) => literalOf(value ?? {}, python, 0);
  const { filter = {}, options = {}, documents, update, replacement, ...rest } = body;
  const named = Object.entries(mergedOptions(rest, options)).map(
    ([option, value]) =>
      `, ${option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}=${write(value)}`,
  );
  const tail = named.join('');
  switch (name) {
    case 'find':
      return `for found in ${kind}.find(${write(filter)}${tail}):\n    print(found)`;
    case 'findAndRerank':
      return `for found in ${kind}.find_and_rerank(${write(filter)}${tail}):\n    print(found.document)`;
    case 'findOne':
      return `print(${kind}.find_one(${write(filter)}${tail}))`;
    case 'insertMany':
      return `${kind}.insert_many(${write(documents)}${tail})`;
    case 'updateOne':
      return `${kind}.update_one(${write(filter)}, ${write(update)}${tail})`;
    case 'findOneAndReplace':
      return `${kind}.find_one_and_replace(${write(filter)}, ${write(replacement)}${tail})`;
    case 'deleteOne':
      return `${kind}.delete_one(${write(filter)}${tail})`;
    case 'deleteMany':
      return `${kind}.delete_many(${write(filter)}${tail})`;
    default: {
      const place = target.name === undefined ? '' : `, collection_or_table_name=${quoted(target.name)}`;
      const all = target.keyspace === undefined ? ', keyspace=None' : place;
      return `print(db.command(${write({ [name]: body })}${all}))`;
    }
  }
}

/** The clients take all clauses beside the options; they make the pages themselves. */
function mergedOptions(rest: JsonObject, options: Json): JsonObject {
  const { pageState: _, ...own } = isObject(options) ? options : {};
  return { ...rest, ...own };
}

interface Language {
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
  readonly text: (text: string) => string;
  readonly name: (text: string) => string;
  readonly number: (text: string) => string;
}

const typeScript: Language = {
  words: { true: 'true', false: 'false', null: 'null' },
  text: singleQuoted,
  // `__proto__: …` would set the prototype.
  name: (text) =>
    text === '__proto__' ? `['__proto__']` : /^[A-Za-z_$][\w$]*$/.test(text) ? text : singleQuoted(text),
  number: (text) => (!isLong(text) ? text : isWhole(text) ? `${text}n` : `new BigNumber('${text}')`),
};
const python: Language = {
  words: { true: 'True', false: 'False', null: 'None' },
  text: quoted,
  name: quoted,
  number: (text) => (isLong(text) && !isWhole(text) ? `Decimal("${text}")` : text),
};

function literalOf(value: Json | undefined, language: Language, depth: number): string {
  if (value === undefined || value === null) return language.words.null;
  if (typeof value === 'boolean') return language.words[value ? 'true' : 'false'];
  if (typeof value === 'string') return language.text(value);
  if (isNumber(value)) return language.number(String(value));
  const parts = isList(value)
    ? value.map((item) => literalOf(item, language, depth + 1))
    : Object.entries(value).map(
        ([name, item]) => `${language.name(name)}: ${literalOf(item, language, depth + 1)}`,
      );
  const [open, close] = isList(value) ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return `${open}${close}`;
  const line = parts.join(', ');
  const space = isList(value) ? '' : ' ';
  if (line.length < 80 && !line.includes('\n')) return `${open}${space}${line}${space}${close}`;
  const indent = '  '.repeat(depth + 1);
  return `${open}\n${parts.map((part) => `${indent}${part},\n`).join('')}${'  '.repeat(depth)}${close}`;
}

/** A text in double quotes; JSON's escapes are those of both languages. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A text in single quotes, as the code of the project writes it. */
function singleQuoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner}'`;
}

function isEmpty(value: JsonObject): boolean {
  return Object.keys(value).length === 0;
}
