// The option `indexing` of a collection: the paths that filters and sorts can use.
import { getOrMake } from '../../foundation/get-or-make.js';
import { isJsonArray, isJsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import { InvalidPath, type Path, parsePath, writePath } from './path.js';
import { isReservedName } from './values.js';

/** Plain data, which can be stored as JSON. `undefined` in place of it: every path is indexed. */
export interface Indexing {
  /** Whether the paths are the only ones that are indexed, or the ones that are not. */
  readonly kind: 'allow' | 'deny';
  /** Each with everything below it. Different from each other; one can contain another one. */
  readonly paths: readonly Path[];
  /** Whether the list is `["*"]`: every path; `paths` is then empty. */
  readonly hasAll: boolean;
}

const everything = '*';

/**
 * Reads the option; undefined for an absent option and null.
 * @throws ApiError INVALID_INDEXING_DEFINITION
 */
export function parseIndexing(json: JsonValue | undefined): Indexing | undefined {
  if (json === undefined || json === null) return undefined;
  if (!isJsonObject(json)) throw invalid(`it must be an object, but is ${showJson(json)}`);
  const unknown = [...json.keys()].find((name) => name !== 'allow' && name !== 'deny');
  if (unknown !== undefined) throw invalid(`it has the unknown member "${unknown}"`);
  const given = [...json].filter(([, list]) => list !== null);
  const [entry, other] = given;
  if (entry === undefined) throw invalid('it needs "allow" or "deny"');
  if (other !== undefined) throw invalid('it has both "allow" and "deny"; only one of them is possible');
  const kind = entry[0] === 'allow' ? 'allow' : 'deny';
  return { kind, ...parseList(kind, entry[1]) };
}

function parseList(kind: string, list: JsonValue): Pick<Indexing, 'paths' | 'hasAll'> {
  if (!isJsonArray(list)) throw invalid(`"${kind}" must be an array of paths, but is ${showJson(list)}`);
  const texts = list.map((text) => {
    if (typeof text === 'string') return text;
    throw invalid(`"${kind}" must have only strings, but has ${showJson(text)}`);
  });
  const seen = new Set<string>();
  for (const text of texts) {
    if (seen.has(text)) throw invalid(`"${kind}" has the path "${text}" more than once`);
    seen.add(text);
  }
  if (kind === 'allow' && seen.size === 0)
    throw invalid('"allow" is empty; list the paths to index, or write {"deny": ["*"]} to index none');
  if (!seen.has(everything)) return { paths: texts.map(parseIndexedPath), hasAll: false };
  if (texts.length > 1) throw invalid(`"${everything}" in "${kind}" must be alone: it means every path`);
  return { paths: [], hasAll: true };
}

function parseIndexedPath(text: string): Path {
  if (text.startsWith('$') && text !== '$vector')
    throw invalid(`the path "${text}" begins with "$", which is only possible for "$vector"`);
  try {
    return parsePath(text);
  } catch (error) {
    if (!(error instanceof InvalidPath)) throw error;
    throw invalid(`the path "${text}" is not valid: ${error.message}`);
  }
}

function invalid(problem: string): Error {
  return apiError('schema', 'INVALID_INDEXING_DEFINITION', { problem });
}

/**
 * Whether filters and sorts can use a path. A list of allowed paths includes the reserved members, but neither `_id`
 * nor the objects that contain an allowed path.
 */
export function isIndexed(indexing: Indexing | undefined, path: Path): boolean {
  if (indexing === undefined) return true;
  const { kind, paths, hasAll } = indexing;
  const isListed = hasAll || isBelow(getOrMake(trees, paths, makeTree), path);
  if (kind === 'deny') return !isListed;
  return isListed || isReservedName(path[0] ?? '');
}

/** Listed paths by their parts. A list can have thousands of paths, and each path of a document is looked up in it. */
interface PathTree {
  /** Whether a listed path ends here; those below it make no difference. */
  isListed: boolean;
  readonly below: Map<string, PathTree>;
}

const trees = new WeakMap<readonly Path[], PathTree>();

function makeTree(paths: readonly Path[]): PathTree {
  const root: PathTree = { isListed: false, below: new Map() };
  for (const path of paths) {
    let place = root;
    for (const part of path)
      place = getOrMake(place.below, part, (): PathTree => ({ isListed: false, below: new Map() }));
    place.isListed = true;
  }
  return root;
}

/** Whether a path or one that contains it is listed. */
function isBelow(root: PathTree, path: Path): boolean {
  let place: PathTree | undefined = root;
  for (const part of path) {
    place = place.below.get(part);
    if (place === undefined) return false;
    if (place.isListed) return true;
  }
  return false;
}

/** The option if it leaves paths out; `{"allow": ["*"]}` is the same as none. */
function restriction(indexing: Indexing | undefined): Indexing | undefined {
  return indexing?.kind === 'allow' && indexing.hasAll ? undefined : indexing;
}

/** Whether two options index the same paths, by lists in any order. */
export function equalIndexing(one: Indexing | undefined, other: Indexing | undefined): boolean {
  const [left, right] = [restriction(one), restriction(other)];
  if (left === undefined || right === undefined) return left === right;
  if (left.kind !== right.kind || left.hasAll !== right.hasAll) return false;
  const texts = new Set(left.paths.map(writePath));
  return left.paths.length === right.paths.length && right.paths.every((path) => texts.has(writePath(path)));
}

/** The option in the form in which it was sent. */
export function writeIndexing({ kind, paths, hasAll }: Indexing): JsonValue {
  return new Map([[kind, hasAll ? [everything] : paths.map(writePath)]]);
}

/** The test of paths; undefined if all are indexed. */
export function indexingTest(indexing: Indexing | undefined): ((path: Path) => boolean) | undefined {
  const restricting = restriction(indexing);
  return restricting === undefined ? undefined : (path) => isIndexed(restricting, path);
}
