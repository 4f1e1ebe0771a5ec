// Statements beside many changes of the schema that block them, which a user without rights can send, too.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../../foundation/telemetry/clock.js';
import type { Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { ChangeOrder } from './change-order.js';
import { SchemaGate } from './schema-gate.js';
import type { SchemaHolder } from './schema-holder.js';

/** What the gate asks of the holder, for a schema that never changes. */
const holder = { present: () => ({}), settled: async () => {}, read: () => ({ keyspaces: new Map() }) };
const table = { keyspace: 'shop', name: 'orders' };

describe('a statement beside a queue of refused changes that block it', () => {
  for (const kind of ['writes', 'reads'] as const) {
    it(`begins behind the change under way: ${kind}`, async () => {
      const gate = new SchemaGate(holder as unknown as SchemaHolder, systemClock, undefined);
      const order = new ChangeOrder();
      let ended = 0;
      const refused = async () => {
        await pause(1);
        ended += 1;
        throw new EngineError('notPermitted', 'no DROP permission');
      };
      const changes = Array.from({ length: 50 }, () =>
        order.run('shop', () => gate.change({ keyspace: 'shop', blocks: kind }, refused, async () => {})),
      );
      while (ended === 0) await pause(1);
      await untilAdmitted(gate, kind);
      assert.ok(ended < 25, `${ended} changes ended before`);
      assert.equal((await Promise.allSettled(changes)).length, 50);
    });
  }
});

/** Asks as a command does, which is planned again behind the changes that are under way. */
async function untilAdmitted(gate: SchemaGate, kind: 'writes' | 'reads'): Promise<void> {
  for (;;) {
    try {
      gate.refuse(kind, table as Table); // the gate needs its name only
      return;
    } catch (error) {
      assert.ok(error instanceof EngineError && error.kind === 'schemaChanged');
      await gate.readSchema(true);
    }
  }
}
