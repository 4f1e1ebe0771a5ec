// The analysis of long texts: its order, its bounds, and what happens when its thread fails.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ThreadEnded, type ThreadListener } from '../../../../foundation/threads/worker-thread.js';
import type { AnalyzedText, WantedText } from '../file/text-functions.js';
import { mostWaitingUnits, TextAnalysis } from './text-analysis.js';
import type { AnalysisReply, AnalysisRequest } from './text-analysis-thread.js';

const definition = '"standard"';
const tokens = Uint8Array.of(0x30, 0);
const wanted = (stored: string): readonly WantedText[] => [{ stored, definition }];

/** An analysis whose threads answer when a test says so. */
function withThreads() {
  const threads: { readonly sent: AnalysisRequest[]; readonly listener: ThreadListener<AnalysisReply> }[] =
    [];
  const failures: string[] = [];
  const settled: (string | undefined)[] = [];
  const analysis = new TextAnalysis(
    ({ message }) => void failures.push(message),
    () => {
      const sent: AnalysisRequest[] = [];
      return {
        listen: (listener) => void threads.push({ sent, listener }),
        post: (request) => void sent.push(request),
        close: () => Promise.resolve(),
      };
    },
  );
  const settle = (analyzed: readonly AnalyzedText[] | undefined) => void settled.push(analyzed?.[0]?.stored);
  return {
    analysis,
    threads,
    failures,
    settled,
    analyze: (of: string) => analysis.analyze(wanted(of), settle),
  };
}

describe('the analysis of long texts', () => {
  it('sends the texts of one call at a time, and settles in order', async () => {
    const { analysis, threads, settled, analyze } = withThreads();
    analyze('one');
    analyze('two');
    const [thread] = threads;
    assert.deepEqual(thread?.sent, [{ texts: wanted('one') }]);
    thread.listener.onReply({ tokens: [tokens] });
    assert.deepEqual(thread.sent, [{ texts: wanted('one') }, { texts: wanted('two') }]);
    thread.listener.onReply({ tokens: [tokens] });
    assert.deepEqual([threads.length, settled], [1, ['one', 'two']]);
    assert.throws(() => thread.listener.onReply({ tokens: [] }), TypeError);
    await analysis.close();
  });

  it('reports the end of the thread, settles without tokens, and starts another one', async () => {
    const { analysis, threads, failures, settled, analyze } = withThreads();
    analyze('one');
    analyze('two');
    threads[0]?.listener.onEnd(new ThreadEnded('the thread ended', false));
    assert.deepEqual([failures, settled], [['the thread ended'], [undefined, undefined]]);
    analyze('three');
    threads[1]?.listener.onReply({ tokens: [tokens] });
    assert.deepEqual(settled, [undefined, undefined, 'three']);
    await analysis.close();
    analyze('four');
    assert.deepEqual([failures.length, settled.at(-1)], [1, undefined]);
  });

  it('reports that no thread can be started', async () => {
    const failures: string[] = [];
    const settled: unknown[] = [];
    const analysis = new TextAnalysis(
      ({ message }) => void failures.push(message),
      () => {
        throw new Error('no threads');
      },
    );
    analysis.analyze(wanted('one'), (analyzed) => void settled.push(analyzed));
    assert.deepEqual([failures, settled], [['no threads'], [undefined]]);
    await analysis.close();
  });

  it('takes no more texts than its bound, and takes further ones after these', async () => {
    const { analysis, threads, settled, analyze } = withThreads();
    const half = 'x'.repeat(mostWaitingUnits / 2);
    analyze(half);
    analyze(half);
    analyze('more');
    assert.deepEqual(settled, [undefined]);
    threads[0]?.listener.onReply({ tokens: [tokens] });
    analyze('later');
    threads[0]?.listener.onReply({ tokens: [tokens] });
    threads[0]?.listener.onReply({ tokens: [tokens] });
    assert.deepEqual(settled.slice(1), [half, half, 'later']);
    await analysis.close();
  });
});
