// Finds the routes of a path; a literal word in a path has precedence over a variable part.
import type { RequestHead } from '../../foundation/http/http-handler.js';
import type { Route } from './route.js';

/** The routes by the parts of their paths. */
export interface RouteTree {
  readonly words: Map<string, RouteTree>;
  /** The routes below a variable part. */
  variable: RouteTree | undefined;
  /** The routes that end here, by method. */
  readonly routes: Map<string, Route>;
}

/** The routes of a path. */
export interface FoundRoutes {
  /** The routes by method; there is at least one. */
  readonly routes: ReadonlyMap<string, Route>;
  /** The variable parts, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** Builds the tree for `findRoutes`. @throws Error when two routes have the same method and path */
export function routeTree(routes: readonly Route[]): RouteTree {
  const root = emptyTree();
  for (const route of routes) {
    let tree = root;
    for (const part of partsOf(route.path)) tree = isVariable(part) ? below(tree) : belowWord(tree, part);
    if (tree.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    tree.routes.set(route.method, route);
  }
  return root;
}

/** The routes whose path matches; undefined if there are none. A slash at the end is ignored for POST. */
export function findRoutes(tree: RouteTree, { method, path }: RequestHead): FoundRoutes | undefined {
  const parts = partsOf(path);
  if (method === 'POST' && parts.length > 1 && parts.at(-1) === '') parts.pop();
  const routes = find(tree, parts);
  const pattern = routes?.values().next().value?.path;
  if (routes === undefined || pattern === undefined) return undefined;
  const params: [string, string][] = [];
  for (const [at, part] of partsOf(pattern).entries()) {
    if (!isVariable(part)) continue;
    const value = decode(parts[at] ?? '');
    if (value === undefined) return undefined;
    params.push([part.slice(1, -1), value]);
  }
  return { routes, params: Object.fromEntries(params) };
}

function find(tree: RouteTree, [part, ...rest]: readonly string[]): ReadonlyMap<string, Route> | undefined {
  if (part === undefined) return tree.routes.size > 0 ? tree.routes : undefined;
  const word = tree.words.get(part);
  const found = word === undefined ? undefined : find(word, rest);
  if (found !== undefined || tree.variable === undefined || part === '') return found;
  return find(tree.variable, rest);
}

function partsOf(path: string): string[] {
  return path.split('/').slice(1);
}

function isVariable(part: string): boolean {
  return part.startsWith('{');
}

function below(tree: RouteTree): RouteTree {
  tree.variable ??= emptyTree();
  return tree.variable;
}

function belowWord(tree: RouteTree, word: string): RouteTree {
  const known = tree.words.get(word) ?? emptyTree();
  tree.words.set(word, known);
  return known;
}

function emptyTree(): RouteTree {
  return { words: new Map(), variable: undefined, routes: new Map() };
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined; // not percent-encoding: such a path matches no route
  }
}
