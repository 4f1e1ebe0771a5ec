// Checks what is known of a statement when its time ends.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CassandraFailure } from './session.js';
import { type StatementCourse, type StatementStep, withinTime } from './within-time.js';

const never = new Promise<never>(() => undefined);

describe('withinTime', () => {
  it('resolves and rejects as the work does', async () => {
    assert.equal(await withinTime(60_000, async () => 5), 5);
    const failed = withinTime(60_000, async () => {
      throw new RangeError('failed');
    });
    await assert.rejects(failed, RangeError);
  });

  it('fails at its end by what the statement waits for then', async () => {
    const kinds: Record<StatementStep, string> = {
      connection: 'unreachable',
      turn: 'overloaded',
      nodes: 'unanswered',
    };
    for (const step of ['connection', 'turn', 'nodes'] as const) {
      const waiting = withinTime(5, (course) => {
        course.step = step;
        return never;
      });
      const isOf = (error: unknown) => error instanceof CassandraFailure && error.kind === kinds[step];
      await assert.rejects(waiting, isOf);
    }
  });

  it('notifies the work of its end, also afterwards', async () => {
    let noted: StatementCourse | undefined;
    let ends = 0;
    const waiting = withinTime(5, (course) => {
      noted = course;
      course.check();
      course.whenOver(() => {
        ends += 1;
      });
      return never;
    });
    await assert.rejects(waiting, CassandraFailure);
    assert.equal(ends, 1);
    noted?.whenOver(() => {
      ends += 1;
    });
    assert.equal(ends, 2);
    assert.throws(() => noted?.check(), CassandraFailure);
  });
});
