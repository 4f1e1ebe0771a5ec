// Checks when nodes are reported as down and up, with a simulated clock and network.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NewEvent } from '../../events/event.js';
import type { GossipEntry } from './gossip-watch.js';
import type { KnownNode } from './known-nodes.js';
import { NodeWatch } from './node-watch.js';

/** A cluster whose nodes the test stops and disconnects. */
class Ring {
  now = 0;
  readonly events: string[] = [];
  /** Addresses of stopped nodes. */
  readonly dead = new Set<string>();
  /** Addresses of nodes that run but do not answer us. */
  readonly cutOff = new Set<string>();
  /** Addresses of nodes that no longer see heartbeats of the others. */
  readonly isolated = new Set<string>();
  /** Addresses of nodes that answer probes, but no query. */
  readonly busy = new Set<string>();
  /** Changes the reports of an address about itself and others. */
  lies: ((observer: string, entry: GossipEntry) => GossipEntry) | undefined;
  /** The tokens of nodes that have moved. */
  readonly tokens = new Map<string, string>();
  addresses: string[];
  hasSession = true;
  loadBytes = 1;
  saved: readonly KnownNode[] = [];
  readonly #beats = new Map<string, number>();
  readonly #sleepers = new Map<() => void, number>();

  constructor(...addresses: string[]) {
    this.addresses = addresses;
  }

  watch(): NodeWatch {
    return new NodeWatch({
      clusterId: 'c',
      seeds: ['a'],
      clock: { nowMs: () => this.now, monotonicMs: () => this.now },
      memory: {
        load: () => this.saved,
        save: (nodes) => {
          this.saved = nodes;
        },
      },
      appendEvent: (_, event: NewEvent) => {
        this.events.push(`${event.action} ${event.sourceNode}`);
        return {} as ReturnType<ConstructorParameters<typeof NodeWatch>[0]['appendEvent']>; // not used
      },
      probe: async (address) => (this.#answers(address) ? undefined : 'no answer'),
      hosts: () =>
        this.hasSession
          ? this.addresses.map((address) => ({
              hostId: address,
              address,
              dc: 'd',
              rack: 'r',
              release: '5.0.9',
            }))
          : [],
      readGossip: async (address) => {
        if (this.busy.has(address)) await this.#laterBy(5000);
        return this.#answers(address) && !this.busy.has(address) ? this.#gossipOf(address) : undefined;
      },
    });
  }

  /** Advances the clock by seconds, with a tick in each. */
  async pass(watch: NodeWatch, seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.now += 1000;
      for (const address of this.addresses) if (!this.dead.has(address)) this.#beats.set(address, this.now);
      for (const [wake, atMs] of this.#sleepers) if (atMs <= this.now) wake();
      watch.tick();
      // A busy node answers only when the clock advances.
      await Promise.race([watch.settled(), new Promise((resolve) => setTimeout(resolve, 3))]);
    }
  }

  #laterBy(ms: number): Promise<void> {
    return new Promise((resolve) => this.#sleepers.set(resolve, this.now + ms));
  }

  #answers(address: string): boolean {
    return !this.dead.has(address) && !this.cutOff.has(address);
  }

  #gossipOf(observer: string): readonly GossipEntry[] {
    return this.addresses.map((address) => {
      const isCutOff = this.isolated.has(observer) && address !== observer;
      const entry = {
        hostId: address,
        address,
        dc: 'd',
        rack: 'r',
        release: '5.0.9',
        hostname: null,
        generation: 1,
        heartbeat: isCutOff ? 0 : (this.#beats.get(address) ?? 0),
        status: 'NORMAL',
        token: (isCutOff ? undefined : this.tokens.get(address)) ?? address,
        loadBytes: this.loadBytes,
      };
      return this.lies?.(observer, entry) ?? entry;
    });
  }
}

const stateOf = (watch: NodeWatch, address: string) =>
  watch.nodes.find((node) => node.address === address)?.state;

describe('the watch of nodes', () => {
  for (const count of [1, 2, 3]) {
    it(`reports the death of one of ${count} within 15 s, once, and its return`, async () => {
      const ring = new Ring(...['a', 'b', 'c'].slice(0, count));
      const watch = ring.watch();
      await ring.pass(watch, 40);
      assert.deepEqual(ring.events, []);
      ring.dead.add('a');
      await ring.pass(watch, 13); // the probes of the round after that take two seconds
      assert.deepEqual(ring.events, ['nodeDown a']);
      await ring.pass(watch, 60);
      ring.dead.delete('a');
      await ring.pass(watch, 3);
      assert.deepEqual(ring.events, ['nodeDown a', 'nodeUp a']);
      assert.equal(stateOf(watch, 'a'), 'up');
    });
  }

  it('does not believe itself alone while others see the node alive', async () => {
    const ring = new Ring('a', 'b', 'c');
    const watch = ring.watch();
    await ring.pass(watch, 20);
    ring.cutOff.add('a');
    await ring.pass(watch, 120);
    assert.deepEqual(ring.events, []);
  });

  it('does not believe one isolated observer', async () => {
    const ring = new Ring('a', 'b', 'c');
    const watch = ring.watch();
    await ring.pass(watch, 20);
    ring.isolated.add('c');
    await ring.pass(watch, 120);
    assert.deepEqual(ring.events, []);
  });

  it('is not delayed by a node that answers probes and no queries', async () => {
    const ring = new Ring('a', 'b', 'c');
    const watch = ring.watch();
    await ring.pass(watch, 20);
    ring.busy.add('b');
    ring.busy.add('c');
    await ring.pass(watch, 30);
    assert.deepEqual(ring.events, []);
    ring.dead.add('a');
    await ring.pass(watch, 13);
    assert.deepEqual(ring.events, ['nodeDown a']);
  });

  it('does not take a node back to where an isolated observer saw it last', async () => {
    const ring = new Ring('a', 'b', 'c');
    const watch = ring.watch();
    await ring.pass(watch, 20);
    ring.isolated.add('c');
    ring.tokens.set('a', '42');
    await ring.pass(watch, 60);
    assert.deepEqual(ring.events, ['nodeMoved a']);
  });

  const lies: readonly (readonly [string, Partial<GossipEntry>])[] = [
    ['from a far future', { generation: 9e15 }],
    ['that is not even a number', { generation: Number.NaN }],
    ['of a second ago', { generation: 2 }],
  ];
  for (const [name, lie] of lies) {
    it(`believes no node that says a start ${name} of the others`, async () => {
      const ring = new Ring('a', 'b', 'c');
      const watch = ring.watch();
      ring.lies = (observer, entry) =>
        observer === 'b' && entry.hostId !== 'b' ? { ...entry, ...lie, token: '7', loadBytes: 7 } : entry;
      await ring.pass(watch, 20);
      ring.loadBytes = 2;
      ring.tokens.set('c', '42');
      await ring.pass(watch, 20);
      assert.deepEqual(
        ['a', 'c'].map((id) => [watch.gossipOf(id)?.generation, watch.gossipOf(id)?.loadBytes]),
        [
          [1, 2],
          [1, 2],
        ],
      );
      assert.deepEqual(
        watch.nodes.map(({ loadBytes, token }) => [loadBytes, token]),
        [
          [2, 'a'],
          [2, 'b'],
          [2, '42'],
        ],
      );
      assert.deepEqual(ring.events, ['nodeMoved c']);
      assert.equal(watch.isLoaded, true);
    });
  }

  it('uses what others report of a node that is not asked, until they report otherwise', async () => {
    const ring = new Ring('a', 'b', 'c', 'd', 'e'); // three nodes of a data center are queried
    const watch = ring.watch();
    let lie: Partial<GossipEntry> = { generation: 1000, loadBytes: 7 };
    ring.lies = (observer, entry) =>
      observer === 'b' && entry.hostId === 'e' ? { ...entry, ...lie } : entry;
    await ring.pass(watch, 20);
    assert.equal(watch.gossipOf('e')?.loadBytes, 7);
    lie = {};
    ring.loadBytes = 3;
    await ring.pass(watch, 20);
    assert.deepEqual([watch.gossipOf('e')?.generation, watch.gossipOf('e')?.loadBytes], [1, 3]);
  });

  it('keeps the last report of nodes that are not reported any more, and forgets those that left', async () => {
    const ring = new Ring('a', 'b');
    const watch = ring.watch();
    await ring.pass(watch, 20);
    for (const address of ring.addresses) ring.dead.add(address);
    await ring.pass(watch, 90);
    assert.equal(watch.gossipOf('b')?.loadBytes, 1);
    ring.dead.clear();
    ring.addresses = ['a'];
    await ring.pass(watch, 5);
    assert.deepEqual([watch.gossipOf('a')?.loadBytes, watch.gossipOf('b')], [1, undefined]);
  });

  it('reports the end of a whole cluster', async () => {
    const ring = new Ring('a', 'b', 'c');
    const watch = ring.watch();
    await ring.pass(watch, 20);
    for (const address of ring.addresses) ring.dead.add(address);
    await ring.pass(watch, 13);
    assert.deepEqual(ring.events, ['nodeDown a', 'nodeDown b', 'nodeDown c']);
  });

  it('shows the seeds of a cluster that was never reached as down', async () => {
    const ring = new Ring('a', 'b');
    ring.hasSession = false;
    for (const address of ring.addresses) ring.dead.add(address);
    const watch = ring.watch();
    await ring.pass(watch, 13);
    assert.deepEqual(ring.events, ['nodeDown a']);
    assert.deepEqual(
      watch.nodes.map(({ address, dc }) => [address, dc]),
      [['a', null]],
    );
  });

  it('reports which nodes join and leave', async () => {
    const ring = new Ring('a', 'b');
    const watch = ring.watch();
    await ring.pass(watch, 5);
    ring.addresses = ['a', 'c'];
    await ring.pass(watch, 5);
    assert.deepEqual(ring.events, ['nodeJoined c', 'nodeLeft b']);
  });

  it('reports and keeps nothing of what was under way when it is closed', async () => {
    // The failure is reported in one of these seconds.
    for (let seconds = 0; seconds < 13; seconds += 1) {
      const ring = new Ring('a', 'b');
      const watch = ring.watch();
      await ring.pass(watch, 20);
      ring.dead.add('a');
      await ring.pass(watch, seconds);
      const before = [[...ring.events], ring.saved];
      ring.now += 1000;
      watch.tick();
      await watch.close();
      assert.deepEqual([ring.events, ring.saved], before, `after ${seconds} s`);
    }
  });

  it('needs three probes after a restart to change what was known', async () => {
    const ring = new Ring('a');
    const before = ring.watch();
    await ring.pass(before, 5);
    assert.equal(stateOf(before, 'a'), 'up');
    ring.dead.add('a');
    const watch = ring.watch();
    await ring.pass(watch, 4);
    assert.deepEqual([stateOf(watch, 'a'), ring.events], ['up', []]);
    await ring.pass(watch, 3);
    assert.deepEqual([stateOf(watch, 'a'), ring.events], ['down', ['nodeDown a']]);
    ring.dead.delete('a');
    const again = ring.watch();
    await ring.pass(again, 4);
    assert.equal(stateOf(again, 'a'), 'down');
    await ring.pass(again, 3);
    assert.deepEqual([stateOf(again, 'a'), ring.events], ['up', ['nodeDown a', 'nodeUp a']]);
  });
});
