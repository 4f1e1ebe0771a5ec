// How well each row fits a search: its place, and of a hybrid search the score and the place in each of its parts.
import {
  exactNumber,
  isList,
  isObject,
  type Json,
  type JsonObject,
  memberAt,
  plainText,
} from '../json/exact-json.js';
import type { GridColumn } from '../parts/grid-geometry.js';
import type { Command, CommandReply } from './command.js';
import { documentsOf } from './command.js';

/** The scores of each row by their names. The row itself does not have them. */
export type Scores = ReadonlyMap<JsonObject, JsonObject>;

const rankName = '$rank';

/** What the scores are. */
const notes: Readonly<Record<string, string>> = {
  [rankName]: 'in all',
  $vectorRank: 'by similarity',
  $bm25Rank: 'by words',
  $vector: 'similarity',
  $rrf: 'of both ranks',
  $rerank: 'reranker',
};

/** The scores of a reply; `before` rows were read with earlier ones. */
export function scoresOf(command: Command, reply: CommandReply, before: number): Scores {
  const documents = documentsOf(reply);
  const responses = memberAt(reply.status, 'documentResponses');
  const isRanked = isList(responses) || isByWords(command);
  if (!isRanked) return new Map();
  const given = isList(responses) ? responses : [];
  return new Map(
    documents.map((row, at) => {
      const scores = memberAt(given[at], 'scores');
      const rank = exactNumber(String(before + at + 1));
      return [row, { [rankName]: rank, ...(isObject(scores) ? scores : {}) }];
    }),
  );
}

/** A search by words gives no score. */
function isByWords({ body }: Command): boolean {
  const sort = memberAt(body, 'sort');
  const isByText = isObject(sort) && Object.values(sort).some((value) => typeof value === 'string');
  return isByText && memberAt(body, 'options', 'includeSimilarity') === undefined;
}

const idPrefix = 'score:';

/** The columns of the scores that some row has. */
export function scoreColumnsOf(scores: Scores): readonly GridColumn[] {
  const all = [...scores.values()];
  const names = new Set(all.flatMap(Object.keys));
  // Without a provider the reranker returns the other score.
  if (all.every((each) => plainText(each['$rerank']) === plainText(each['$rrf']))) names.delete('$rerank');
  const lengthOf = (name: string) => Math.max(...all.map((each) => plainText(each[name]).length));
  return Object.keys(notes)
    .filter((name) => names.has(name))
    .map((name) => ({
      id: `${idPrefix}${name}`,
      title: name === rankName ? 'Rank' : name,
      note: notes[name] ?? '',
      widthPx: Math.max(112, lengthOf(name) * 8 + 22),
      isNumber: true,
    }));
}

/** What the column of a score shows of a row; undefined for other columns, and for rows without it. */
export function scoreIn(scores: Scores, row: JsonObject, columnId: string): Json | undefined {
  if (!columnId.startsWith(idPrefix)) return undefined;
  return memberAt(scores.get(row), columnId.slice(idPrefix.length)) ?? undefined;
}

/** What a hybrid search did not find in one of its parts; undefined where both found something, or without rows. */
export function missingPart(scores: Scores): string | undefined {
  const all = [...scores.values()];
  const isIn = (name: string) => all.some((each) => (each[name] ?? null) !== null);
  const isHybrid = all.some((each) => Object.hasOwn(each, '$bm25Rank'));
  if (!isHybrid) return undefined;
  if (!isIn('$bm25Rank'))
    return 'The words find nothing: no document has all of them. These were found by similarity alone.';
  return isIn('$vectorRank') ? undefined : 'Nothing is similar. These were found by words alone.';
}
