// Checks that channels are stored and changed, and that replies contain no secrets.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openDatabase } from '../../foundation/sqlite/open-database.js';
import { createLogger } from '../../foundation/telemetry/logger.js';
import { OpsError } from '../errors/ops-error.js';
import type { NewEvent } from '../events/event.js';
import { Store } from '../store/store.js';
import { ChannelRepository, type SentSettings } from './channel-repository.js';
import { notificationMigrations } from './notification-tables.js';

const logger = createLogger('silent');
const caller = { user: 'ann', address: '10.0.0.9' };
let store: Store;
let events: NewEvent[];
let repository: ChannelRepository;

function open(): ChannelRepository {
  let ids = 0;
  return new ChannelRepository({
    store,
    newId: () => `id-${++ids}`,
    logger,
    appendEvent: (_, event) => void events.push(event),
    onChange: () => {},
    hasRule: () => true,
    surroundings: {
      sendRequest: () => Promise.reject(new Error('nothing is sent here')),
      connect: () => Promise.reject(new Error('nothing is sent here')),
      resolve: () => Promise.reject(new Error('nothing is sent here')),
      timeoutMs: 1,
      nowMs: Date.now,
    },
  });
}

beforeEach(() => {
  const database = openDatabase({ path: ':memory:' });
  for (const { sql } of notificationMigrations) database.exec(sql);
  store = new Store(database, logger);
  events = [];
  repository = open();
});
afterEach(() => {
  store.close();
});

const webhook = {
  type: 'webhook',
  url: 'https://hooks.example:8443/services/T0/hidden?key=hidden',
  headers: { 'x-key': 'hidden' },
  username: 'ann',
  password: 'hidden',
};
const email = {
  type: 'email',
  host: 'mail.example',
  username: 'ann',
  password: 'hidden',
  from: 'colonnade@example.org',
  to: ['ops@example.org'],
};

function refusalOf(call: () => unknown): { refusal: string; details: string[] } {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof OpsError);
    return {
      refusal: error.refusal,
      details: error.details.map(({ path, message }) => `${path} ${message}`),
    };
  }
  assert.fail('nothing was thrown');
}

function shown(id: string): Record<string, unknown> {
  return { ...repository.show(repository.get('local', id)) };
}

describe('the channel repository', () => {
  it('keeps channels by creation, also over a restart', () => {
    repository.add('local', webhook, caller);
    repository.add('local', { ...email, name: 'mail' }, caller);
    repository.add('other', email, caller);
    const list = () => repository.list('local').map(({ id, kind }) => [id, kind.type]);
    assert.deepEqual(list(), [
      ['id-1', 'webhook'],
      ['id-2', 'email'],
    ]);
    repository = open();
    assert.deepEqual(list(), [
      ['id-1', 'webhook'],
      ['id-2', 'email'],
    ]);
    assert.equal(
      refusalOf(() => repository.get('local', 'id-3')).refusal,
      'NotFound',
      'it is another cluster’s',
    );
  });

  it('shows no secret, in lists, events or refusals', () => {
    const id = repository.add('local', webhook, caller);
    repository.add('local', { ...email, ca: '-----BEGIN CERTIFICATE-----' }, caller);
    assert.deepEqual(shown(id), {
      id,
      type: 'webhook',
      name: '',
      levels: [],
      rules: [],
      events: false,
      url: 'https://hooks.example:8443/***',
      format: 'json',
      username: 'ann',
    });
    repository.change('local', id, { name: 'hook' }, caller);
    repository.remove('local', id, caller);
    const refused = refusalOf(() =>
      repository.add('local', { ...webhook, url: 'hidden', password: ['hidden'] }, caller),
    );
    const everything = JSON.stringify([
      repository.list('local').map((one) => repository.show(one)),
      events,
      refused,
    ]);
    assert.doesNotMatch(everything, /hidden/);
    assert.deepEqual(
      events.map(({ action, message }) => `${action}: ${message}`),
      [
        'channelChanged: notification channel "id-1" (webhook) added',
        'channelChanged: notification channel "id-2" (email) added',
        'channelChanged: notification channel "hook" (webhook) changed',
        'channelChanged: notification channel "hook" (webhook) removed',
      ],
    );
  });

  it('keeps an absent secret and removes one that is null', () => {
    const id = repository.add('local', webhook, caller);
    repository.change('local', id, { levels: ['ERROR'], url: 'https://hooks.example:8443/***' }, caller);
    assert.deepEqual(
      repository.get('local', id).settings['url'],
      webhook.url,
      'what was shown is not a new URL',
    );
    assert.equal(repository.get('local', id).settings['password'], 'hidden');
    repository.change('local', id, { password: null, headers: null, username: null }, caller);
    assert.equal('password' in repository.get('local', id).settings, false);
    assert.deepEqual(shown(id)['levels'], ['ERROR']);
  });

  it('requires the secrets again for a new place', () => {
    const hook = repository.add('local', webhook, caller);
    const elsewhere = 'https://evil.example/';
    assert.deepEqual(
      refusalOf(() => repository.change('local', hook, { url: elsewhere }, caller)),
      {
        refusal: 'BadRequest',
        details: [
          'headers must be sent again, because url changes',
          'password must be sent again, because url changes',
        ],
      },
    );
    repository.change('local', hook, { url: elsewhere, headers: {}, password: 'new' }, caller);
    const mail = repository.add('local', email, caller);
    for (const change of [{ host: 'evil.example' }, { port: 2525 }]) {
      assert.equal(refusalOf(() => repository.change('local', mail, change, caller)).refusal, 'BadRequest');
    }
    repository.change('local', mail, { host: 'evil.example', password: 'again' }, caller);
    repository.change('local', mail, { port: 2525, password: null, username: null }, caller);
    repository.change('local', mail, { port: 2526 }, caller);
  });

  it('takes a URL as it is shown for the same place only, and never for a new channel', () => {
    const id = repository.add('local', webhook, caller);
    const put = (url: string) => () => repository.change('local', id, { url }, caller);
    for (const url of ['https://hooks.example:8443/***', 'HTTPS://Hooks.Example:8443/***']) {
      put(url)();
      assert.equal(repository.get('local', id).settings['url'], webhook.url);
    }
    const masked = 'url must be complete: *** replaces the part that is not shown';
    for (const url of [
      'https://evil.example/***',
      'https://hooks.example/***',
      'http://hooks.example:8443/***',
      'https://hooks.example:8443/***/more',
      'https://hooks.example:8443/%2A%2a*?key=new',
    ]) {
      assert.deepEqual(
        refusalOf(put(url)),
        {
          refusal: 'BadRequest',
          details: [
            'headers must be sent again, because url changes',
            'password must be sent again, because url changes',
            masked,
          ],
        },
        url,
      );
    }
    assert.deepEqual(repository.get('local', id).settings['url'], webhook.url);
    for (const type of ['webhook', 'slack', 'teams', 'alertmanager']) {
      const add = () =>
        repository.add('local', { type, url: 'https://hooks.example/***', colour: 1 }, caller);
      assert.deepEqual(refusalOf(add).details, [masked, 'colour is not known'], type);
    }
    const slack = repository.add('local', { type: 'slack', url: 'https://hooks.example/' }, caller);
    const move = () => repository.change('local', slack, { url: 'https://hooks.example/***' }, caller);
    assert.deepEqual(refusalOf(move).details, [masked], 'it is not what was shown');
  });

  it('reports every problem at once', () => {
    const of = (sent: SentSettings) => refusalOf(() => repository.add('local', sent, caller)).details;
    assert.match(of({})[0] ?? '', /^type must be one of webhook, email, /);
    assert.deepEqual(of({ type: 'webhook', url: 'ftp://x', levels: ['LOUD'], colour: 1, size: 2 }), [
      'levels.0 must be one of DEBUG, INFO, WARN, ERROR, CRITICAL, ALERT',
      'url must be a URL of http or https',
      'colour is not known',
      'size is not known',
    ]);
    assert.deepEqual(of({ ...webhook, url: 'https://ann:hidden@x/' }), [
      'url must not hold a user or a password',
    ]);
    assert.deepEqual(of({ ...webhook, events: true, format: 'alertmanager' }), [
      'events must be false: the format alertmanager has no form for events',
    ]);
    assert.deepEqual(of({ ...webhook, headers: { Host: 'x', 'a b': 'x', ok: 'a\r\nb' } }), [
      'headers.Host is written by the service itself',
      'headers.a b must be the name of a header',
      'headers.ok must be visible ASCII',
    ]);
    assert.deepEqual(of({ ...webhook, headers: ['x'] }), ['headers must be an object, not a list']);
    assert.deepEqual(of({ ...email, security: 'none' }), [
      'security must be tls or starttls: a password is not sent in the clear',
    ]);
    assert.deepEqual(of({ ...email, to: [], from: 'a@b\r\nBcc: c@d', port: 0 }), [
      'port must be a port from 1 to 65535',
      'from must be a mail address without a name',
      'to must name someone',
    ]);
  });

  it('refuses an address that is never connected to, however it is written', () => {
    for (const url of [
      'http://169.254.169.254/latest',
      'http://[fe80::1]/',
      'http://0/',
      'http://0xe0000001/',
      'http://[::ffff:169.254.1.1]/',
    ]) {
      const { refusal, details } = refusalOf(() => repository.add('local', { type: 'webhook', url }, caller));
      assert.equal(refusal, 'BadRequest', url);
      assert.match(details.join(), /^url must not be (a|an) [a-z -]+ address$/, url);
    }
    const host = '169.254.169.254';
    const mail = () => repository.add('local', { ...email, host }, caller);
    assert.deepEqual(refusalOf(mail).details, ['host must not be a metadata address']);
    const id = repository.add('local', webhook, caller);
    const move = () => repository.change('local', id, { ...webhook, url: `http://${host}/` }, caller);
    assert.deepEqual(refusalOf(move).details, ['url must not be a metadata address']);
    repository.add('local', { type: 'webhook', url: 'http://127.0.0.1:1/' }, caller);
  });

  it('changes neither id nor type', () => {
    const id = repository.add('local', webhook, caller);
    repository.change('local', id, { id, type: 'webhook' }, caller);
    assert.equal(refusalOf(() => repository.change('local', id, { id: 'x' }, caller)).refusal, 'Conflict');
    assert.equal(
      refusalOf(() => repository.change('local', id, { type: 'email' }, caller)).refusal,
      'Conflict',
    );
  });
});
