// The silences of all clusters: set, ended, and forgotten some time after their end.
import * as v from 'valibot';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { closedObject } from '../errors/closed-object.js';
import { type ErrorDetail, OpsError } from '../errors/ops-error.js';
import { unknownRule } from '../errors/unknown-rule.js';
import { badRequest } from '../errors/validation.js';
import type { Caller, NewEvent } from '../events/event.js';
import type { Store } from '../store/store.js';
import { type Silence, type SilenceMatchers, type SilenceState, silenceState } from './silence.js';

const matcher = v.optional(
  v.pipe(
    v.string(),
    v.minLength(1, 'must not be empty'),
    v.maxLength(200, 'must have at most 200 characters'),
  ),
);
// Beyond the year 9999 a time is in another unit.
const seconds = v.pipe(
  v.number(),
  v.minValue(0, 'must be seconds since 1970'),
  v.maxValue(253_402_300_799, 'must be seconds since 1970'),
);

/** What a new silence is made of. */
export const newSilenceSchema = closedObject({
  matchers: v.pipe(
    closedObject({ rule: matcher, node: matcher, dc: matcher, table: matcher }),
    v.check(
      (matchers) => Object.values(matchers).some((wanted) => wanted !== undefined),
      'must name a rule, node, dc or table',
    ),
  ),
  start: v.optional(seconds),
  end: seconds,
  author: v.optional(v.pipe(v.string(), v.maxLength(200, 'must have at most 200 characters'))),
  comment: v.optional(v.pipe(v.string(), v.maxLength(2000, 'must have at most 2000 characters')), ''),
});

/** A checked body. */
export type NewSilence = v.InferOutput<typeof newSilenceSchema>;

/** What the book works with. */
export interface SilenceBookParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  appendEvent(clusterId: string, event: NewEvent): void;
  /** Whether the cluster has the alert rule now; a silence stays when its rule goes. */
  hasRule(clusterId: string, ruleId: string): boolean;
}

interface KeptSilence {
  readonly clusterId: string;
  readonly silence: Silence;
  /** Its end is in the event log. */
  isEndTold: boolean;
}

/** An expired one is listed for a week: who silenced what, and why. */
const keptAfterEndMs = 7 * 86_400_000;
const maxPerCluster = 1000;

/** The silences by creation. */
export class SilenceBook {
  readonly #parts: SilenceBookParts;
  readonly #silences = new Map<string, KeptSilence>();

  constructor(parts: SilenceBookParts) {
    this.#parts = parts;
    const rows = parts.store.read((database) =>
      database.statement('SELECT id, cluster_id, body FROM silences ORDER BY number').all(),
    );
    for (const row of rows) {
      // Written by `add` and `tick`.
      const stored = JSON.parse(String(row['body'])) as Pick<KeptSilence, 'silence' | 'isEndTold'>;
      this.#silences.set(String(row['id']), { clusterId: String(row['cluster_id']), ...stored });
    }
  }

  /** Of one cluster, by creation, with their states. */
  list(clusterId: string): readonly (Silence & { readonly state: SilenceState })[] {
    const nowMs = this.#parts.clock.nowMs();
    return this.#of(clusterId).map(({ silence }) => ({ ...silence, state: silenceState(silence, nowMs) }));
  }

  /** Those that hold notices now. */
  active(clusterId: string): readonly Silence[] {
    const nowMs = this.#parts.clock.nowMs();
    return this.#of(clusterId)
      .map(({ silence }) => silence)
      .filter((silence) => silenceState(silence, nowMs) === 'active');
  }

  /** @throws OpsError `NotFound` */
  get(clusterId: string, id: string): Silence & { readonly state: SilenceState } {
    const found = this.list(clusterId).find((silence) => silence.id === id);
    if (found !== undefined) return found;
    throw new OpsError('NotFound', `there is no silence ${JSON.stringify(id)}`);
  }

  /** Sets a silence and gives its id. @throws OpsError `BadRequest` */
  add(clusterId: string, { matchers, start, end, author, comment }: NewSilence, caller: Caller): string {
    const { store, clock, newId, appendEvent, hasRule } = this.#parts;
    const nowSeconds = Math.floor(clock.nowMs() / 1000);
    const begin = start ?? nowSeconds;
    const problems: ErrorDetail[] = [];
    const { rule } = matchers;
    if (rule !== undefined && !hasRule(clusterId, rule)) problems.push(unknownRule('matchers.rule', rule));
    if (end <= begin) problems.push({ path: 'end', message: 'must be after start' });
    else if (end <= nowSeconds) problems.push({ path: 'end', message: 'must be in the future' });
    if (problems.length > 0) throw badRequest(problems);
    if (this.#of(clusterId).length >= maxPerCluster) {
      throw new OpsError('Conflict', `a cluster has at most ${maxPerCluster} silences`);
    }
    const silence: Silence = {
      id: newId(),
      matchers,
      start: begin,
      end,
      author: author ?? caller.user,
      comment,
    };
    const kept: KeptSilence = { clusterId, silence, isEndTold: false };
    store.change((database) =>
      database
        .statement('INSERT INTO silences (id, cluster_id, body) VALUES (?, ?, ?)')
        .run([silence.id, clusterId, bodyOf(kept)]),
    );
    this.#silences.set(silence.id, kept);
    appendEvent(clusterId, {
      action: 'silenceSet',
      level: 'INFO',
      message: `silence for ${wordsOf(matchers)} until ${new Date(end * 1000).toISOString()}${because(comment)}`,
      caller,
      success: true,
    });
    return silence.id;
  }

  /** Ends a silence at once and forgets it. @throws OpsError `NotFound` */
  remove(clusterId: string, id: string, caller: Caller): void {
    this.get(clusterId, id);
    const kept = this.#silences.get(id);
    this.#parts.store.change((database) => database.statement('DELETE FROM silences WHERE id = ?').run([id]));
    this.#silences.delete(id);
    if (kept !== undefined && !kept.isEndTold) this.#tellEnd(kept, caller);
  }

  /** Forgets the silences of a cluster that is gone. */
  forgetCluster(clusterId: string): void {
    for (const { silence } of this.#of(clusterId)) this.#forget(silence.id);
  }

  /** Notices ends. Called every second. */
  tick(): void {
    const nowMs = this.#parts.clock.nowMs();
    for (const kept of this.#silences.values()) {
      const { silence } = kept;
      if (!kept.isEndTold && silenceState(silence, nowMs) === 'expired') {
        kept.isEndTold = true;
        const body = bodyOf(kept);
        this.#parts.store.record(
          (database) =>
            void database.statement('UPDATE silences SET body = ? WHERE id = ?').run([body, silence.id]),
          { key: `silences ${silence.id}` },
        );
        this.#tellEnd(kept, undefined);
      } else if (nowMs > silence.end * 1000 + keptAfterEndMs) {
        this.#forget(silence.id);
      }
    }
  }

  #of(clusterId: string): readonly KeptSilence[] {
    return [...this.#silences.values()].filter((kept) => kept.clusterId === clusterId);
  }

  #forget(id: string): void {
    this.#silences.delete(id);
    this.#parts.store.record(
      (database) => void database.statement('DELETE FROM silences WHERE id = ?').run([id]),
      { key: `silences ${id}` },
    );
  }

  #tellEnd({ clusterId, silence }: KeptSilence, caller: Caller | undefined): void {
    this.#parts.appendEvent(clusterId, {
      action: 'silenceEnded',
      level: 'INFO',
      message: `silence for ${wordsOf(silence.matchers)} ended`,
      success: true,
      ...(caller === undefined ? {} : { caller }),
    });
  }
}

function bodyOf({ silence, isEndTold }: KeptSilence): string {
  return JSON.stringify({ silence, isEndTold });
}

function wordsOf(matchers: SilenceMatchers): string {
  return Object.entries(matchers)
    .map(([name, wanted]) => `${name} ${wanted}`)
    .join(', ');
}

function because(comment: string): string {
  return comment === '' ? '' : `: ${comment}`;
}
