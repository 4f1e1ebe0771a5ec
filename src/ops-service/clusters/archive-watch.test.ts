// The events and metrics of an archive.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AppendEvent } from '../events/event.js';
import { type ArchiveFigures, ArchiveWatch } from './archive-watch.js';

const sound: ArchiveFigures = {
  ...{
    archive: '/a',
    generation: undefined,
    behindMs: 0,
    waitingBytes: 0,
    problem: undefined,
    refusal: undefined,
    failure: undefined,
    term: 1,
    leaseProblem: undefined,
    copyAtMs: undefined,
  },
};

describe('the watch of the archive', () => {
  it('records what changes, once', () => {
    const events: string[] = [];
    const appendEvent: AppendEvent = (clusterId, { action, level, message, sourceNode }) => {
      events.push(`${clusterId} ${sourceNode} ${action} ${level}: ${message}`);
      return {} as ReturnType<AppendEvent>; // not used
    };
    const watch = new ArchiveWatch('a', appendEvent);
    assert.deepEqual(watch.readings, []);
    for (const now of [
      sound,
      { ...sound, generation: 'g1' },
      { ...sound, generation: 'g1', behindMs: 40_000, problem: 'it is behind' },
      { ...sound, generation: 'g1', behindMs: 41_500, waitingBytes: 7, problem: 'it is still behind' },
    ])
      watch.note(now);
    assert.deepEqual(watch.readings, [
      { key: 'archive-behind', value: 41.5 },
      { key: 'archive-waiting', value: 7 },
    ]);
    watch.note({ ...sound, generation: 'g2' });
    for (const refusal of ['b writes', 'b writes', undefined, undefined])
      watch.note({ ...sound, generation: 'g2', refusal });
    assert.deepEqual(events, [
      'local a archiveGeneration INFO: the generation g1 of the archive /a begins',
      'local a archiveBehind ERROR: it is behind',
      'local a archiveCaughtUp INFO: the archive /a has every change again',
      'local a archiveGeneration INFO: the generation g2 of the archive /a begins',
      'local a writesRefused ERROR: writes are refused: b writes',
      'local a writesAccepted INFO: writes are accepted again',
    ]);
  });
});
