// The incidents of receivers that have them: which alerts each contains, and when the last of them has cleared.
import type { FollowedAlerts } from './followed-alert.js';
import { ownIncidentOf } from './notice.js';
import type { QueuedNotice } from './notice-queue.js';

/** Joins alerts into incidents. An incident stays open until its last alert clears. */
export class Incidents {
  readonly #followed: FollowedAlerts;

  constructor(followed: FollowedAlerts) {
    this.#followed = followed;
  }

  /** A key that is the same for notices that one message can hold: a message opens, repeats or closes one incident. */
  groupOf(entry: QueuedNotice): string {
    const kind = entry.notice.status === 'resolved' ? 'close' : 'open';
    return `${kind} ${this.#knownFor(entry) ?? ''}`;
  }

  /**
   * Assigns notices of one group to an incident, before they are tried. Returns the reason if there is nothing to send.
   * It is on disk together with the attempt.
   */
  assign(entries: readonly QueuedNotice[]): string | undefined {
    const [first] = entries;
    if (first === undefined) return undefined;
    const incident = this.#knownFor(first) ?? ownIncidentOf(first.notice);
    if (first.notice.status === 'resolved') {
      const reason = this.#whyOpen(entries, incident);
      if (reason !== undefined) return reason;
    }
    for (const entry of entries) {
      this.#remember(entry, incident);
      entry.notice = { ...entry.notice, incident };
    }
    return undefined;
  }

  /** The incident that already contains the alert; undefined if its next notice may open a new one. */
  #knownFor({ notice, channelId }: QueuedNotice): string | undefined {
    const known = this.#followed.about(notice)?.channels.get(channelId);
    if (known?.incident !== undefined) return known.incident;
    const mayBeKnown = notice.status !== 'firing' || (known !== undefined && known.notified !== 'no');
    return mayBeKnown ? (notice.incident ?? ownIncidentOf(notice)) : undefined;
  }

  #remember({ notice, channelId, mayHaveArrived }: QueuedNotice, incident: string): void {
    const followed = this.#followed.about(notice);
    const known = followed?.channels.get(channelId);
    if (followed === undefined || known === undefined || notice.status !== 'firing') return;
    // An attempt that was interrupted by a crash may have opened the incident.
    const mayKnow = known.notified === 'no' && known.incident !== undefined && mayHaveArrived;
    if (known.incident === incident && !mayKnow) return;
    followed.channels.set(channelId, { ...known, incident, notified: mayKnow ? 'maybe' : known.notified });
    this.#followed.keep(followed);
  }

  #whyOpen(ending: readonly QueuedNotice[], incident: string): string | undefined {
    const [{ channelId } = { channelId: '' }] = ending;
    const ended = new Set(ending.map(({ notice }) => this.#followed.about(notice)));
    const others = this.#followed.ofIncident(channelId, incident).filter((one) => !ended.has(one));
    if (others.length === 0) return undefined;
    const count = others.length === 1 ? 'another alert' : `${others.length} other alerts`;
    return `its incident stays open until ${count} in it clear${others.length === 1 ? 's' : ''}`;
  }
}
