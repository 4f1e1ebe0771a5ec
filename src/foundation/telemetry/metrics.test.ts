// Checks what a scrape returns.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMetrics, sumCounts } from './metrics.js';

describe('createMetrics', () => {
  it('renders counters by label, gauges when asked, and counts nothing twice', async () => {
    const metrics = createMetrics();
    const replies = metrics.counter({ name: 'replies_total', help: 'Replies.', labelNames: ['status'] });
    replies.series('200').add();
    replies.series('200').add(2);
    replies.series('500').add();
    metrics.counter({ name: 'starts_total', help: 'Starts.' });
    let open = 7;
    metrics.gauge({ name: 'connections', help: 'Open connections.' }, () => open);
    metrics.gauge({ name: 'age', help: 'Age.', labelNames: ['of'] }, () => new Map([['oldest', open]]));
    await metrics.render();
    open = 8;
    const text = await metrics.render();
    assert.match(text, /^replies_total\{status="200"\} 3$/m);
    assert.match(text, /^replies_total\{status="500"\} 1$/m);
    assert.match(text, /^starts_total 0$/m);
    assert.match(text, /^connections 8$/m);
    assert.match(text, /^age\{of="oldest"\} 8$/m);
    assert.match(text, /^# TYPE replies_total counter$/m);
  });

  it('gives the ending _total to counters only, also in those of the process', async () => {
    const metrics = createMetrics();
    const kinds = (await metrics.render([await createMetrics().values()])).matchAll(/^# TYPE (\S+) (\S+)$/gm);
    const gauges = [...kinds].flatMap(([, name = '', kind]) => (kind === 'counter' ? [] : [name]));
    assert.ok(gauges.includes('nodejs_active_handles'));
    assert.deepEqual(
      gauges.filter((name) => name.endsWith('_total')),
      [],
    );
  });

  it('renders histograms with cumulative buckets, sum and count', async () => {
    const metrics = createMetrics();
    const seconds = metrics.histogram(
      { name: 'request_seconds', help: 'Duration.', labelNames: ['command'] },
      [0.1, 1],
    );
    for (const value of [0.05, 0.1, 0.5, 4]) seconds.series('find').observe(value);
    const text = await metrics.render();
    assert.match(text, /^# TYPE request_seconds histogram$/m);
    assert.match(text, /^request_seconds_bucket\{command="find",le="0.1"\} 2$/m);
    assert.match(text, /^request_seconds_bucket\{command="find",le="1"\} 3$/m);
    assert.match(text, /^request_seconds_bucket\{command="find",le="\+Inf"\} 4$/m);
    assert.match(text, /^request_seconds_sum\{command="find"\} 4\.65$/m);
    assert.match(text, /^request_seconds_count\{command="find"\} 4$/m);
  });

  it('renders those of several processes together, and counts of processes that have ended', async () => {
    const processes = [1, 2].map((count) => {
      const metrics = createMetrics();
      metrics
        .counter({ name: 'replies_total', help: 'Replies.', labelNames: ['status'] })
        .series('200')
        .add(count);
      metrics
        .histogram({ name: 'seconds', help: 'Duration.' }, [0.1, 1])
        .series()
        .observe(count / 2);
      metrics.gauge({ name: 'connections', help: 'Open connections.' }, () => count);
      metrics.gauge({ name: 'longest', help: 'Longest.', together: 'max' }, () => count);
      return metrics;
    });
    const [first = createMetrics(), second = createMetrics()] = processes;
    const together = await first.render([await second.values()]);
    assert.match(together, /^replies_total\{status="200"\} 3$/m);
    assert.match(together, /^seconds_bucket\{le="1"\} 2$/m);
    assert.match(together, /^seconds_sum 1\.5$/m);
    assert.match(together, /^connections 3$/m);
    assert.match(together, /^longest 2$/m);
    const ended = await sumCounts([await second.values(), await second.values()]);
    const later = await first.render([ended]);
    assert.match(later, /^replies_total\{status="200"\} 5$/m);
    assert.match(later, /^seconds_count 3$/m);
    assert.match(later, /^connections 1$/m);
  });

  it('has figures of the process', async () => {
    assert.match(await createMetrics().render(), /^process_resident_memory_bytes \d+/m);
  });
});
