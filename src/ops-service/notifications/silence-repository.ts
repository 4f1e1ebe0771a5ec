// The silences of all clusters: set, ended, and deleted some time after their end.
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { OpsSilence, SilenceMatchers } from '../../descriptions/operations-replies.js';
import { type KeptSince, makeKeptSince } from '../../foundation/telemetry/clock-jumps.js';
import { closedObject } from '../errors/closed-object.js';
import { limitedText } from '../errors/limited-text.js';
import { type ErrorDetail, OpsError } from '../errors/ops-error.js';
import { unknownRule } from '../errors/unknown-name.js';
import { badRequest } from '../errors/validation.js';
import type { Caller } from '../events/event.js';
import { Repository } from '../store/repository.js';
import type { NotificationParts } from './notification-parts.js';
import { type Silence, silenceState } from './silence.js';

const matcher = v.optional(limitedText(200, 1));
// A time after the year 9999 is probably in another unit.
const seconds = v.pipe(
  v.number(),
  v.minValue(0, 'must be seconds since 1970'),
  v.maxValue(253_402_300_799, 'must be seconds since 1970'),
);

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
  author: v.optional(limitedText(200)),
  comment: v.optional(limitedText(2000), ''),
});

/** A checked body. */
export type NewSilence = v.InferOutput<typeof newSilenceSchema>;

/** What the repository needs from outside. A silence remains when its rule is deleted. */
export type SilenceRepositoryParts = Pick<
  NotificationParts,
  'store' | 'clock' | 'newId' | 'appendEvent' | 'hasRule'
>;

interface KeptSilence {
  readonly id: string;
  readonly clusterId: string;
  readonly silence: Silence;
  /** Whether its end is in the event log. */
  readonly isEndReported: boolean;
}

/** The body of a stored silence. */
type StoredSilence = Pick<KeptSilence, 'silence' | 'isEndReported'>;

/** An expired silence is listed for a week. */
const keptAfterEndMs = 7 * 86_400_000;
const maxPerCluster = 1000;

/** The silences, in order of creation. */
export class SilenceRepository {
  readonly #parts: SilenceRepositoryParts;
  readonly #silences: Repository<KeptSilence>;
  readonly #keptSince: KeptSince;

  constructor(parts: SilenceRepositoryParts) {
    this.#parts = parts;
    this.#keptSince = makeKeptSince(parts.clock);
    this.#silences = new Repository(parts.store, {
      table: 'silences',
      most: maxPerCluster,
      tooMany: `a cluster has at most ${maxPerCluster} silences`,
      read: (id, clusterId, body) => ({ id, clusterId, ...(body as StoredSilence) }), // written by `bodyOf`
      bodyOf: ({ silence, isEndReported }): StoredSilence => ({ silence, isEndReported }),
      missing: (_, id) => new OpsError('NotFound', `there is no silence ${JSON.stringify(id)}`),
    });
  }

  /** The silences of one cluster, in order of creation. */
  list(clusterId: string): readonly OpsSilence[] {
    const nowMs = this.#parts.clock.nowMs();
    return this.#silences
      .list(clusterId)
      .map(({ silence }) => ({ ...silence, state: silenceState(silence, nowMs) }));
  }

  /** The silences that hold notices now. */
  active(clusterId: string): readonly Silence[] {
    const nowMs = this.#parts.clock.nowMs();
    return this.#silences
      .list(clusterId)
      .map(({ silence }) => silence)
      .filter((silence) => silenceState(silence, nowMs) === 'active');
  }

  /** @throws OpsError `NotFound` */
  get(clusterId: string, id: string): OpsSilence {
    const { silence } = this.#silences.get(clusterId, id);
    return { ...silence, state: silenceState(silence, this.#parts.clock.nowMs()) };
  }

  /** Adds a silence and returns its id. @throws OpsError `BadRequest` */
  add(clusterId: string, { matchers, start, end, author, comment }: NewSilence, caller: Caller): string {
    const { clock, newId, hasRule } = this.#parts;
    const nowSeconds = Math.floor(clock.nowMs() / 1000);
    const begin = start ?? nowSeconds;
    const problems: ErrorDetail[] = [];
    const { rule } = matchers;
    if (rule !== undefined && !hasRule(clusterId, rule)) problems.push(unknownRule('matchers.rule', rule));
    if (end <= begin) problems.push({ path: 'end', message: 'must be after start' });
    else if (end <= nowSeconds) problems.push({ path: 'end', message: 'must be in the future' });
    if (problems.length > 0) throw badRequest(problems);
    const silence: Silence = {
      id: newId(),
      matchers,
      start: begin,
      end,
      author: author ?? caller.user,
      comment,
    };
    this.#silences.create(clusterId, { id: silence.id, clusterId, silence, isEndReported: false });
    this.#reportSet(clusterId, silence, caller);
    return silence.id;
  }

  /**
   * Silences until `end`, at least: an active silence with the same matchers is extended, and gets the comment, if
   * there is one. Returns its id. @throws OpsError as `add`
   */
  addOrExtend(clusterId: string, wanted: NewSilence, caller: Caller): string {
    const same = this.active(clusterId).find(({ matchers }) => isDeepStrictEqual(matchers, wanted.matchers));
    if (same === undefined) return this.add(clusterId, wanted, caller);
    const end = Math.max(same.end, wanted.end);
    const comment = wanted.comment === '' ? same.comment : wanted.comment;
    if (end === same.end && comment === same.comment) return same.id;
    const silence = { ...same, end, comment };
    this.#silences.replace(clusterId, { id: same.id, clusterId, silence, isEndReported: false });
    this.#reportSet(clusterId, silence, caller);
    return same.id;
  }

  /** Ends a silence at once and deletes it. @throws OpsError `NotFound` */
  remove(clusterId: string, id: string, caller: Caller): void {
    const kept = this.#silences.get(clusterId, id);
    this.#silences.delete(clusterId, id);
    if (!kept.isEndReported) this.#reportEnd(kept, caller);
  }

  /** Forgets the silences of a removed cluster. */
  forgetCluster(clusterId: string): void {
    this.#silences.forgetCluster(clusterId);
  }

  /** Reports silences that have ended. The server calls it every second. */
  tick(): void {
    const nowMs = this.#parts.clock.nowMs();
    const sinceMs = this.#keptSince(keptAfterEndMs);
    for (const kept of this.#silences.all()) {
      const { id, clusterId, silence } = kept;
      const hasEnded = silenceState(silence, nowMs) === 'expired';
      if (hasEnded !== kept.isEndReported) {
        // The clock may have been set back to a time before an end that was reported.
        this.#silences.record(clusterId, { ...kept, isEndReported: hasEnded });
        if (hasEnded) this.#reportEnd(kept, undefined);
      } else if (silence.end * 1000 < sinceMs) {
        this.#silences.recordDeletion(clusterId, id);
      }
    }
  }

  #reportSet(clusterId: string, { matchers, end, comment }: Silence, caller: Caller): void {
    this.#parts.appendEvent(clusterId, {
      action: 'silenceSet',
      level: 'INFO',
      message: `silence for ${wordsOf(matchers)} until ${new Date(end * 1000).toISOString()}${because(comment)}`,
      caller,
      success: true,
    });
  }

  #reportEnd({ clusterId, silence }: KeptSilence, caller: Caller | undefined): void {
    this.#parts.appendEvent(clusterId, {
      action: 'silenceEnded',
      level: 'INFO',
      message: `silence for ${wordsOf(silence.matchers)} ended`,
      success: true,
      ...(caller === undefined ? {} : { caller }),
    });
  }
}

function wordsOf(matchers: SilenceMatchers): string {
  return Object.entries(matchers)
    .map(([name, wanted]) => `${name} ${wanted}`)
    .join(', ');
}

function because(comment: string): string {
  return comment === '' ? '' : `: ${comment}`;
}
