// Sends the commands of random scenarios to two servers and compares their replies.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import { type Command, type CommandScenario, commandsOf, type FindCommand } from './commands-of.js';
import type { Compared } from './compare-seeds.js';

/** A server that is compared. */
export interface Side {
  readonly name: string;
  /** The address of a keyspace: `http://127.0.0.1:8181/v1/default_keyspace`. */
  readonly url: string;
}

/** Replies in a form in which equal ones are equal. */
interface Shown {
  /** Without rows, page states, and ids of errors. */
  readonly rest: readonly JsonText[];
  readonly rows: readonly JsonText[];
}

/** Commands up to one whose replies differ. */
interface Difference {
  readonly commands: readonly Command[];
  readonly shown: readonly Shown[];
}

/** Sends the commands of a seed's scenario; a difference is made as small as it can be. */
export async function compareServers(
  seed: number,
  left: Side,
  right: Side,
  dialect: Dialect = 'strict',
): Promise<Compared> {
  const sides = [left, right];
  const scenario = commandsOf(seed, dialect);
  const played = await play(scenario, sides);
  if (played.difference === undefined) return { ...played, difference: undefined };
  const least = await shrink(played.difference, scenario, sides);
  return { ...played, difference: describe(seed, scenario, least, sides) };
}

/** Leaves out the finds, then one command after another, as long as the last one still shows a difference. */
async function shrink(
  found: Difference,
  scenario: CommandScenario,
  sides: readonly Side[],
): Promise<Difference> {
  let least = found;
  const tryWith = async (commands: readonly Command[]) => {
    const { difference } = await play({ ...scenario, commands }, sides);
    if (difference?.commands.length === commands.length) least = difference;
  };
  await tryWith(found.commands.filter(({ kind }, at, { length }) => kind === 'plain' || at === length - 1));
  for (let at = least.commands.length - 2; at >= 0; at -= 1) await tryWith(least.commands.toSpliced(at, 1));
  return least;
}

function describe(
  seed: number,
  { create }: CommandScenario,
  { commands, shown }: Difference,
  sides: readonly Side[],
): string {
  return [
    `The servers differ. Replay: the same test with COLONNADE_TEST_SEED=${seed}`,
    create,
    ...commands.map((command) => (command.kind === 'plain' ? command.body : findBody(command, []))),
    ...sides.map(({ name }, at) => `${name}: ${JSON.stringify(shown[at])}`),
  ].join('\n');
}

/** What was compared, up to the first difference. */
async function play(
  { table, create, commands }: CommandScenario,
  sides: readonly Side[],
): Promise<Omit<Compared, 'difference'> & { readonly difference: Difference | undefined }> {
  const inKeyspace = (body: JsonText) => Promise.all(sides.map((side) => shownBy(side, '', body)));
  let [pages, rows] = [0, 0];
  const [made] = await inKeyspace(create);
  assert.deepEqual(made?.rest, ['{"status":{"ok":1}}']);
  try {
    for (const [at, command] of commands.entries()) {
      const shown = await Promise.all(sides.map((side) => show(side, `/${table}`, command)));
      const [left, right] = shown;
      pages += left?.rest.length ?? 0;
      rows += left?.rows.length ?? 0;
      if (isDeepStrictEqual(left, right)) continue;
      return { pages, rows, difference: { commands: commands.slice(0, at + 1), shown } };
    }
    return { pages, rows, difference: undefined };
  } finally {
    await inKeyspace(`{"dropTable":{"name":"${table}"}}`);
  }
}

function show(side: Side, path: string, command: Command): Promise<Shown> {
  if (command.kind === 'plain') return shownBy(side, path, command.body);
  const { limit, order } = command;
  if (order === 'none') return showUnsorted(side, path, command);
  return showPages(side, path, command, limit).then((shown) =>
    order === 'similarity' ? withoutTies(shown, limit) : shown,
  );
}

/** All rows in an order of the test's own; with a limit, some of them. */
async function showUnsorted(side: Side, path: string, find: FindCommand): Promise<Shown> {
  const { rest, rows: unordered } = await showPages(side, path, find, undefined);
  const rows = unordered.toSorted();
  if (find.limit === undefined) return { rest, rows };
  const limited = await showPages(side, path, find, find.limit);
  const left = [...rows];
  for (const row of limited.rows) {
    const place = left.indexOf(row);
    if (place === -1) return { rest, rows: ['with a limit there is a row that is not there without', row] };
    left.splice(place, 1);
  }
  return { rest: [...rest, `${limited.rows.length} with a limit`, ...limited.rest], rows };
}

async function showPages(
  side: Side,
  path: string,
  find: FindCommand,
  limit: number | undefined,
): Promise<Shown> {
  const rest: JsonText[] = [];
  const rows: JsonText[] = [];
  let pageState: string | null | undefined;
  do {
    const further = [
      ...(limit === undefined ? [] : [`"limit":${limit}`]),
      ...(typeof pageState === 'string' ? [`"pageState":${JSON.stringify(pageState)}`] : []),
    ];
    const page = await ask(side, path, findBody(find, further));
    rest.push(page.rest);
    rows.push(...page.rows);
    pageState = page.pageState;
  } while (pageState !== null);
  return { rest, rows };
}

function findBody({ clauses, options }: FindCommand, further: readonly JsonText[]): JsonText {
  const own = Object.entries(options).map(([name, value]) => `"${name}":${value}`);
  return `{"find":{${clauses},"options":{${[...own, ...further].join(',')}}}}`;
}

/**
 * Equally similar rows in an order of the test's own. Which of them come last where not all of them can is a choice:
 * those show their similarity only.
 */
function withoutTies({ rest, rows }: Shown, limit: number | undefined): Shown {
  const similarities = rows.map((row) => /"\$similarity":([^,}]+)\}$/.exec(row)?.[1] ?? '');
  const last = rows.length === limit ? similarities.at(-1) : undefined;
  const shown = rows.map((row, at) => (similarities[at] === last ? `${last}` : row));
  const ordered = shown
    .map((row, at) => ({ row, place: similarities.indexOf(similarities[at] ?? '') }))
    .sort((left, right) => left.place - right.place || (left.row < right.row ? -1 : 1))
    .map(({ row }) => row);
  return { rest, rows: ordered };
}

async function shownBy(side: Side, path: string, body: JsonText): Promise<Shown> {
  const { rest, rows } = await ask(side, path, body);
  return { rest: [rest], rows };
}

/** Numbers of any length are compared by their texts. */
const limits = { maxDepth: 100, maxNumberLength: 1_000_000 };

async function ask({ url }: Side, path: string, body: JsonText) {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body });
  const json = parseJson(await reply.text(), limits);
  assert.ok(isJsonObject(json));
  const data = json.get('data') ?? null;
  if (!isJsonObject(data)) return { rest: restOf(json), rows: [], pageState: null };
  const documents = data.get('documents') ?? null;
  const pageState = data.get('nextPageState') ?? null;
  return {
    rest: restOf(json),
    rows: isJsonArray(documents) ? documents.map(stringifyJson) : [],
    pageState: typeof pageState === 'string' ? pageState : null,
  };
}

function restOf(reply: JsonObject): JsonText {
  return stringifyJson(
    withoutIds(withoutFoldWarnings(new Map([...reply].filter(([name]) => name !== 'data')))),
  );
}

/** The indexes of a cluster do not serve all filters on folded texts, which only its replies say. */
function withoutFoldWarnings(reply: JsonObject): JsonObject {
  const status = reply.get('status') ?? null;
  const warnings = isJsonObject(status) ? (status.get('warnings') ?? null) : null;
  if (!isJsonObject(status) || !isJsonArray(warnings)) return reply;
  const left = warnings.filter(
    (each) => !isJsonObject(each) || each.get('errorCode') !== 'EQUALITY_FILTER_UNSUPPORTED_BY_INDEXING',
  );
  const others = [...status].filter(([name]) => name !== 'warnings');
  const shown = left.length === 0 ? others : [...others, ['warnings', left] as const];
  return new Map([...reply]).set('status', new Map<string, JsonValue>(shown));
}

/** Each error and warning has an id of its own. */
function withoutIds(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(withoutIds);
  if (!isJsonObject(value)) return value;
  const members = [...value].filter(([name]) => name !== 'id' || !value.has('errorCode'));
  return new Map(members.map(([name, member]) => [name, withoutIds(member)]));
}
