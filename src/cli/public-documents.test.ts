// The pages in which documents of the public server are read.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writePublicDocuments } from './public-documents.js';

/** Answers as a node with these documents. */
function clusterWith(documents: readonly (readonly [document: string, token: number])[], mostRows = 1_000) {
  const queries: string[] = [];
  const query = async (statement: string) => {
    queries.push(statement);
    const [, operator, place] = / WHERE token\(key\) (=|>) (-?\d+)/.exec(statement) ?? [];
    const limit = Number(/LIMIT (\d+)$/.exec(statement)?.[1]);
    const found = documents
      .filter(
        ([, token]) =>
          operator === undefined || (operator === '=' ? token === Number(place) : token > Number(place)),
      )
      .slice(0, limit);
    if (found.length > mostRows) return { problem: 'too large' };
    return {
      text: `{"columns":[],"rows":[${found.map(([text, token]) => `[${JSON.stringify(text)},${token}]`)}]}`,
    };
  };
  return { queries, query };
}

async function written(collection: string, query: ReturnType<typeof clusterWith>['query']) {
  let text = '';
  const problem = await writePublicDocuments(collection, {
    query,
    write: async (more) => {
      text += more;
    },
  });
  return { text, problem };
}

describe('writePublicDocuments', () => {
  it('writes every document once, also those whose keys have the same token at the end of a page', async () => {
    const documents = Array.from({ length: 250 }, (_, id) => {
      return [`{"_id":${id}}`, Math.floor((id - 99) / 2)] as const;
    });
    const { query, queries } = clusterWith(documents);
    const { text, problem } = await written('shop.People "x"', query);
    assert.equal(problem, undefined);
    assert.equal(text, documents.map(([document]) => `${document}\n`).join(''));
    assert.equal(queries[0], 'SELECT doc_json, token(key) AS place FROM "shop"."People ""x""" LIMIT 100');
  });

  it('reads one document at a time where more are too large', async () => {
    const { query } = clusterWith(
      [
        ['{"_id":1}', 1],
        ['{"_id":2}', 2],
      ],
      1,
    );
    assert.deepEqual(await written('shop.people', query), {
      text: '{"_id":1}\n{"_id":2}\n',
      problem: undefined,
    });
  });

  it('reports a name without a keyspace, and what the server refuses', async () => {
    const { query } = clusterWith([]);
    assert.match((await written('people', query)).problem ?? '', /must be KEYSPACE\.COLLECTION/);
    const refusing = async () => ({ problem: 'no such table' });
    assert.equal((await written('shop.people', refusing)).problem, 'no such table');
  });
});
