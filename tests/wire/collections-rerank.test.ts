// Hybrid searches: findAndRerank with the built-in order (wire: findAndRerank).
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const hashed = '{"provider":"colonnade","modelName":"hashed-ngrams"}';
const { at } = useWireServer({
  prepare: [
    [
      '/v1/default_keyspace',
      `{"createCollection":{"name":"notes","options":{"vector":{"service":${hashed}}}}}`,
    ],
    ['/v1/default_keyspace', '{"createCollection":{"name":"vectors","options":{"vector":{"dimension":2}}}}'],
    ['/v1/default_keyspace', '{"createCollection":{"name":"plain"}}'],
    [
      '/v1/default_keyspace',
      `{"createCollection":{"name":"narrow","options":{"vector":{"dimension":2},
        "lexical":{"enabled":false},"rerank":{"enabled":false}}}}`,
    ],
    [
      '/v1/default_keyspace/vectors',
      `{"insertMany":{"documents":[{"_id":1,"$vector":[1,0],"$lexical":"red"},{"_id":2,"$vector":[1,1]},
        {"_id":3,"$lexical":"red red"},{"_id":{"$uuid":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},"$vector":[0,1]}]}}`,
    ],
    [
      '/v1/default_keyspace/notes',
      '{"insertMany":{"documents":[{"_id":1,"$hybrid":"a boiler was repaired"},{"_id":2,"$hybrid":"a new roof"}]}}',
    ],
  ],
});
const vectors = at('/v1/default_keyspace/vectors');
const refused = (problem: string) => `{"errors":[<REQUEST ${problem}>]}`;

describe('a hybrid search', () => {
  it('adds up the places in both searches', () =>
    vectors(
      `{"findAndRerank":{"sort":{"$hybrid":{"$vector":[1,0],"$lexical":"red"}},
        "options":{"includeScores":true,"includeSortVector":true,"limit":2}}}`,
      `{"data":{"documents":[{"_id":1},{"_id":3}],"nextPageState":null},
        "status":{"documentResponses":[
          {"scores":{"$rerank":0.03252247488101534,"$vector":1,"$vectorRank":1,"$bm25Rank":2,
            "$rrf":0.03252247488101534}},
          {"scores":{"$rerank":0.01639344262295082,"$vector":0,"$vectorRank":null,"$bm25Rank":1,
            "$rrf":0.01639344262295082}}],
        "sortVector":[1,0]}}`,
    ));

  it('embeds a text for both', () =>
    at('/v1/default_keyspace/notes')(
      '{"findAndRerank":{"sort":{"$hybrid":"roof"},"options":{"limit":1}}}',
      '{"data":{"documents":[{"_id":2}],"nextPageState":null}}',
    ));

  it('applies the filter to both', () =>
    vectors(
      '{"findAndRerank":{"filter":{"_id":3},"sort":{"$hybrid":{"$vector":[1,0],"$lexical":"red"}}}}',
      '{"data":{"documents":[{"_id":3}],"nextPageState":null}}',
    ));

  const bad = [
    [
      'plain',
      '"sort":{"$hybrid":"a"}',
      'SORT UNSUPPORTED_VECTOR_SORT_FOR_COLLECTION: Hybrid search needs vectors',
    ],
    [
      'vectors',
      '"sort":{"$hybrid":"a"}',
      'SORT UNSUPPORTED_VECTORIZE_SORT_FOR_COLLECTION: Hybrid search needs an embedding service',
    ],
    [
      'narrow',
      '"sort":{"$hybrid":{"$vector":[1,0],"$lexical":"a"}}',
      'SCHEMA LEXICAL_NOT_ENABLED_FOR_COLLECTION: Text search not enabled for the collection',
    ],
    [
      'narrow',
      '"sort":{"$hybrid":{"$vector":[1,0]}}',
      'UNSUPPORTED_RERANKING_COMMAND: Collection without reranking',
    ],
    ['vectors', '"sort":{}', 'SORT SORT_CLAUSE_INVALID: Sort not well-formed'],
    ['vectors', '"sort":{"$hybrid":{"$lexical":"a"}}', 'SORT SORT_CLAUSE_INVALID: Sort not well-formed'],
    [
      'vectors',
      '"sort":{"$hybrid":{"$vector":[1,0]}},"options":{"hybridLimits":101}',
      'COMMAND_FIELD_VALUE_INVALID: Command field value invalid',
    ],
    [
      'vectors',
      '"sort":{"$hybrid":{"$vector":[1,0]}},"options":{"rerank":{}}',
      'INVALID_RERANK_OVERRIDE: Option rerank not valid',
    ],
  ] as const;
  for (const [collection, clause, error] of bad) {
    it(`is refused on ${collection}: ${clause}`, () =>
      at(`/v1/default_keyspace/${collection}`)(`{"findAndRerank":{${clause}}}`, refused(error)));
  }

  it('uses a service of the command where the collection has none', () =>
    at('/v1/default_keyspace/narrow')(
      `{"findAndRerank":{"sort":{"$hybrid":{"$vector":[1,0]}},
        "options":{"rerank":{"provider":"colonnade","modelName":"reciprocal-rank-fusion"}}}}`,
      '{"data":{"documents":[],"nextPageState":null}}',
    ));
});
