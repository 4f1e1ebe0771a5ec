// The examples of the commands on collections, after those of tables in the same session.
import type { CommandExample } from './command-example.js';

const keyspace = { target: 'keyspace', path: '/v1/shop' } as const;
const collection = { target: 'collection', path: '/v1/shop/people' } as const;

/** In the order in which they are sent. */
export const collectionExamples: readonly CommandExample[] = [
  {
    command: 'createCollection',
    ...keyspace,
    request:
      '{"createCollection":{"name":"people","options":{"vector":{"dimension":2},"indexing":{"deny":["notes"]}}}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'findCollections',
    ...keyspace,
    request: '{"findCollections":{"options":{"explain":true}}}',
    reply:
      '{"status":{"collections":[{"name":"people","options":{' +
      '"vector":{"dimension":2,"metric":"cosine","sourceModel":"other"},"indexing":{"deny":["notes"]},' +
      '"lexical":{"enabled":true,"analyzer":"standard"},' +
      '"rerank":{"enabled":true,"service":{"provider":"colonnade","modelName":"reciprocal-rank-fusion"}}}}]}}',
  },
  {
    command: 'insertOne',
    ...collection,
    request: `{"insertOne":{"document":
  {"_id":"ada","name":"Ada","born":{"$date":-4861123200000},"tags":["mathematics"],"$vector":[1,0.5]}}}`,
    reply: '{"status":{"insertedIds":["ada"]}}',
  },
  {
    command: 'insertMany',
    ...collection,
    request: `{"insertMany":{"documents":[
  {"_id":"grace","name":"Grace","address":{"city":"New York"},"tags":["navy","mathematics"],"$vector":[0.5,1]},
  {"_id":"ada","name":"Another"}],"options":{"returnDocumentResponses":true}}}`,
    reply:
      '{"status":{"documentResponses":[{"_id":"grace","status":"OK"},{"_id":"ada","status":"ERROR","errorsIdx":0}]},' +
      '"errors":[{"id":"<id>","family":"REQUEST","scope":"DOCUMENT","errorCode":"DOCUMENT_ALREADY_EXISTS",…}]}',
  },
  {
    command: 'find',
    ...collection,
    request: '{"find":{"filter":{"tags":"mathematics"},"sort":{"name":-1},"projection":{"name":1,"_id":0}}}',
    reply: '{"data":{"documents":[{"name":"Grace"},{"name":"Ada"}],"nextPageState":null}}',
  },
  {
    command: 'findOne',
    ...collection,
    request: `{"findOne":{"sort":{"$vector":[1,0.4]},"projection":{"name":1},
  "options":{"includeSimilarity":true}}}`,
    reply: '{"data":{"document":{"_id":"ada","name":"Ada","$similarity":0.9…}}}',
  },
  {
    command: 'findAndRerank',
    ...collection,
    request: `{"findAndRerank":{"sort":{"$hybrid":{"$vector":[1,0.4],"$lexical":"relay"}},
  "projection":{"name":1},"options":{"limit":1,"includeScores":true,"rerankQuery":"relay","rerankOn":"name"}}}`,
    reply:
      '{"data":{"documents":[{"_id":"ada","name":"Ada"}],"nextPageState":null},' +
      '"status":{"documentResponses":[{"scores":{"$rerank":0.01639344262295082,"$vector":0.99…,"$vectorRank":1,' +
      '"$bm25Rank":null,"$rrf":0.01639344262295082}}]}}',
  },
  {
    command: 'countDocuments',
    ...collection,
    request: '{"countDocuments":{"filter":{"address.city":{"$exists":true}}}}',
    reply: '{"status":{"count":1}}',
  },
  {
    command: 'estimatedDocumentCount',
    ...collection,
    request: '{"estimatedDocumentCount":{}}',
    reply: '{"status":{"count":2}}',
  },
  {
    command: 'updateOne',
    ...collection,
    request: `{"updateOne":{"filter":{"_id":"ada"},
  "update":{"$set":{"address.city":"London"},"$push":{"tags":"engines"},"$inc":{"visits":1}}}}`,
    reply: '{"status":{"matchedCount":1,"modifiedCount":1}}',
  },
  {
    command: 'updateMany',
    ...collection,
    request: '{"updateMany":{"filter":{"visits":{"$exists":false}},"update":{"$set":{"visits":0}}}}',
    reply: '{"status":{"matchedCount":1,"modifiedCount":1}}',
  },
  {
    command: 'findOneAndUpdate',
    ...collection,
    request: `{"findOneAndUpdate":{"filter":{"_id":"alan"},"update":{"$set":{"name":"Alan"}},
  "options":{"upsert":true,"returnDocument":"after"}}}`,
    reply:
      '{"data":{"document":{"_id":"alan","name":"Alan"}},' +
      '"status":{"upsertedId":"alan","matchedCount":0,"modifiedCount":0}}',
  },
  {
    command: 'findOneAndReplace',
    ...collection,
    request: '{"findOneAndReplace":{"filter":{"_id":"alan"},"replacement":{"name":"Alan Turing"}}}',
    reply: '{"data":{"document":{"_id":"alan","name":"Alan"}},"status":{"matchedCount":1,"modifiedCount":1}}',
  },
  {
    command: 'findOneAndDelete',
    ...collection,
    request: '{"findOneAndDelete":{"filter":{"_id":"alan"}}}',
    reply: '{"data":{"document":{"_id":"alan","name":"Alan Turing"}},"status":{"deletedCount":1}}',
  },
  {
    command: 'deleteOne',
    ...collection,
    request: '{"deleteOne":{"filter":{"name":"Grace"}}}',
    reply: '{"status":{"deletedCount":1}}',
  },
  {
    command: 'deleteMany',
    ...collection,
    request: '{"deleteMany":{"filter":{"visits":{"$gte":1}}}}',
    reply: '{"status":{"deletedCount":1}}',
  },
  {
    command: 'deleteCollection',
    ...keyspace,
    request: '{"deleteCollection":{"name":"people"}}',
    reply: '{"status":{"ok":1}}',
  },
];
