// How archives in an object store answer failures of the store, by answers that a test makes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StoreFailure } from '../../src/archive/stores/archive-store.js';
import { S3Store } from '../../src/archive/stores/s3-store.js';
import { type OutgoingRequest, SendFailure } from '../../src/foundation/http/send-request.js';

type Answer =
  | SendFailure
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };

const place = {
  ...{ endpoint: 'http://127.0.0.1:1', region: 'here', bucket: 'b', prefix: 'p/q' },
  ...{ accessKey: 'the-access-key', secretKey: 'the-secret-key' },
};
const written: Answer = { status: 200, headers: { etag: '"1"' } };
const lost = new SendFailure('unreachable', 'read ECONNRESET', undefined, true);

function storeThat(answers: readonly Answer[], nowMs = Date.UTC(2026, 10, 29)) {
  const sent: OutgoingRequest[] = [];
  const store = new S3Store(place, {
    send: async (request) => {
      const answer = answers[sent.length];
      sent.push(request);
      if (answer === undefined) throw new Error('no further request was expected');
      if (answer instanceof SendFailure) throw answer;
      const { status, body = '', headers = {} } = answer;
      return { status, header: (name) => headers[name], body: Buffer.from(body) };
    },
    clock: { nowMs: () => nowMs, monotonicMs: () => 0 },
    restsMs: [0, 0, 0],
  });
  return { store, sent };
}

describe('an archive in an object store', () => {
  it('signs its requests and puts its objects below the prefix', async () => {
    const { store, sent } = storeThat([written]);
    assert.deepEqual(await store.write('a/b', Buffer.from('x')), 'written');
    const [request] = sent;
    assert.equal(request?.url, 'http://127.0.0.1:1/b/p/q/a/b');
    assert.equal(request?.headers['if-none-match'], '*');
    assert.match(request?.headers['authorization'] ?? '', /Credential=the-access-key\/20261129\/here\/s3\//);
    assert.doesNotMatch(JSON.stringify(request), /the-secret-key/);
  });

  it('repeats what can succeed later, a few times', async () => {
    const { store, sent } = storeThat([{ status: 503 }, lost, { status: 500 }, written]);
    assert.deepEqual(await store.write('x', Buffer.from('x')), 'written');
    assert.equal(sent.length, 4);
    const down = storeThat(Array.from({ length: 4 }, () => ({ status: 503, body: '<Code>SlowDown</Code>' })));
    await assert.rejects(down.store.read('x'), (error: unknown) => {
      assert.ok(error instanceof StoreFailure && error.isTemporary);
      assert.equal(error.message, 'the archive s3://b/p/q: x cannot be read: it answers 503 (SlowDown)');
      return true;
    });
  });

  it('does not repeat what a person must change', async () => {
    const body = '<Error><Code>AccessDenied</Code><Message>No &amp; never</Message></Error>';
    const { store, sent } = storeThat([{ status: 403, body }]);
    await assert.rejects(store.write('x', Buffer.from('x')), (error: unknown) => {
      assert.ok(error instanceof StoreFailure && !error.isTemporary);
      assert.match(error.message, /x cannot be written: it answers 403 \(AccessDenied: No & never\)$/);
      return true;
    });
    assert.equal(sent.length, 1);
    const missing = storeThat([{ status: 404, body: '<Error><Code>NoSuchBucket</Code></Error>' }]);
    await assert.rejects(missing.store.read('x'), /NoSuchBucket/);
  });

  it('lists on where the store gives fewer names than it was asked for', async () => {
    const list = (inner: string) => ({ status: 200, body: `<ListBucketResult>${inner}</ListBucketResult>` });
    const cut = '<IsTruncated>true</IsTruncated>';
    const { store, sent } = storeThat([
      list(`${cut}<NextContinuationToken>t1</NextContinuationToken>`),
      list(`<Key>p/q/a1</Key>${cut}<NextContinuationToken>t2</NextContinuationToken>`),
      list('<Key>p/q/a2</Key><IsTruncated>false</IsTruncated>'),
    ]);
    assert.deepEqual(await store.list('a', { after: 'a0', limit: 10 }), ['a1', 'a2']);
    assert.match(sent[0]?.url ?? '', /start-after=/);
    assert.match(sent[2]?.url ?? '', /continuation-token=t2.*max-keys=9|max-keys=9.*continuation-token=t2/);
    await assert.rejects(storeThat([list(cut)]).store.list('a', { limit: 10 }), StoreFailure);
  });

  it('knows a write again whose answer was lost', async () => {
    const found: Answer = { ...written, body: 'x' };
    const own = storeThat([lost, { status: 412 }, found]);
    assert.deepEqual(await own.store.write('x', Buffer.from('x')), 'written');
    const other = storeThat([lost, { status: 412 }, found]);
    assert.equal(await other.store.write('x', Buffer.from('y')), 'refused');
    const first = storeThat([{ status: 412 }]);
    assert.equal(await first.store.write('x', Buffer.from('x')), 'refused');
  });

  it('takes the time of the store if that refuses the time of this machine', async () => {
    const body = '<Error><Code>RequestTimeTooSkewed</Code></Error>';
    const headers = { date: 'Sun, 29 Nov 2026 12:00:00 GMT' };
    const { store, sent } = storeThat([{ status: 403, body, headers }, written, written]);
    await store.write('x', Buffer.from('x'));
    await store.write('y', Buffer.from('y'));
    assert.deepEqual(
      sent.map((request) => request.headers['x-amz-date']),
      ['20261129T000000Z', '20261129T120000Z', '20261129T120000Z'],
    );
  });

  it('refuses an answer that is not a list', async () => {
    const { store } = storeThat([{ status: 200, body: '<html>' }]);
    await assert.rejects(store.list('', { limit: 1 }), /the answer is not a list/);
  });
});
