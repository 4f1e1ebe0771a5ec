// The main thread's side of the writer thread: what it reports besides the results of writes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SharedTurns } from '../../../../foundation/shared-turns.js';
import { systemClock } from '../../../../foundation/telemetry/clock.js';
import { packError } from '../../../../foundation/threads/crossing-error.js';
import type { ThreadListener, WorkerThread } from '../../../../foundation/threads/worker-thread.js';
import { Writer } from './writer.js';
import type { WriterMessage, WriterRequest } from './writer-messages.js';

it('warns of a failure of the thread that analyzes long texts', () => {
  let thread: ThreadListener<WriterMessage> | undefined;
  const fake: Pick<WorkerThread<WriterRequest, WriterMessage>, 'listen'> = {
    listen: (listener) => {
      thread = listener;
    },
  };
  const warnings: Error[] = [];
  new Writer(fake as WorkerThread<WriterRequest, WriterMessage>, new SharedTurns(systemClock), {
    onFatal: (error) => assert.fail(error),
    onWarning: (error) => void warnings.push(error),
  });
  thread?.onReply({ analysisFailure: packError(new Error('the thread ended'), []) });
  const messages = warnings.map(({ message, cause }) => [message, cause instanceof Error && cause.message]);
  assert.deepEqual(messages, [['other writes wait for the analysis of long texts', 'the thread ended']]);
});
