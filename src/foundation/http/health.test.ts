// What the health replies say to whom.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Health, noteProblem, readyReply } from './health.js';

describe('the reply about readiness', () => {
  const health: Health = { status: 'ready', problems: new Map() };
  const bodyFor = (mayReadProblems: boolean) =>
    JSON.parse(String(readyReply(health, 7, mayReadProblems).body));

  it('has the texts of problems for those who may read them, and the names of parts for others', () => {
    assert.deepEqual(bodyFor(false), { status: 'ready', pid: 7 });
    noteProblem(health, 'storage', '10.0.3.7:9042: the password of colonnade is wrong');
    noteProblem(health, 'archive', 'the archive s3://backups is 40 s behind');
    assert.deepEqual(bodyFor(true).problems, [...health.problems.values()]);
    assert.deepEqual(bodyFor(false), { status: 'not ready', pid: 7, problems: ['storage', 'archive'] });
  });
});
