// The vector of the row or document that a search begins with.
import { type Json, memberAt } from '../json/exact-json.js';
import { RequestFailure } from '../net/send-request.js';
import { type Loaded, useLoaded } from '../net/use-loaded.js';
import { documentsOf, sendCommand, type Target } from './command.js';
import { type RowsQuery, type SearchWay, vectorNameOf, vectorWayOf } from './find-command.js';
import { readIdentity } from './row-identity.js';
import type { Item } from './schema.js';

/** Loads the vector of the row that `query.like` names, if it names one. Fails where nothing has vectors. */
export function useNearVector(
  item: Item,
  target: Target,
  query: RowsQuery,
  ways: readonly SearchWay[],
): Loaded<Json> {
  const way = vectorWayOf(query, ways);
  const key = query.like === '' ? undefined : `${way?.id} ${query.like}`;
  return useLoaded(key, async (signal) => {
    const thing = item.kind === 'table' ? 'row' : 'document';
    if (way === undefined) throw problem(`${item.name} has no vectors, so nothing similar can be found.`);
    const filter = readIdentity(item, query.like);
    if (typeof filter === 'string') throw problem(filter);
    const name = vectorNameOf(way);
    const body = { filter, projection: { [name]: true } };
    const [found] = documentsOf(await sendCommand({ target, name: 'findOne', body }, signal));
    if (found === undefined) throw problem(`The ${thing} of this search is not there any more.`);
    const vector = memberAt(found, name) ?? null;
    if (vector === null)
      throw problem(`This ${thing} has no vector in ${name}, so nothing can be found by it.`);
    return vector;
  });
}

function problem(message: string): RequestFailure {
  return new RequestFailure(0, 'NoVector', message);
}
