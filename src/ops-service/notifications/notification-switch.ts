// The switch of each cluster that stops only delivery.
import type { Caller, NewEvent } from '../events/event.js';
import type { Store } from '../store/store.js';

/** The switch for the notifications of each cluster. It is on unless it was switched off. */
export class NotificationSwitch {
  readonly #store: Store;
  readonly #appendEvent: (clusterId: string, event: NewEvent) => void;
  readonly #off = new Set<string>();

  constructor(store: Store, appendEvent: (clusterId: string, event: NewEvent) => void) {
    this.#store = store;
    this.#appendEvent = appendEvent;
    const rows = store.read((database) =>
      database.statement('SELECT cluster_id FROM notification_switches WHERE is_on = 0').all(),
    );
    for (const row of rows) this.#off.add(String(row['cluster_id']));
  }

  /** Whether notices of a cluster are delivered. */
  isOn(clusterId: string): boolean {
    return !this.#off.has(clusterId);
  }

  /** Sets the switch; writes an event only if it changes. @throws OpsError `Unavailable` on a full disk */
  set(clusterId: string, isOn: boolean, caller: Caller): void {
    if (this.isOn(clusterId) === isOn) return;
    this.#store.change((database) =>
      database
        .statement('INSERT OR REPLACE INTO notification_switches VALUES (?, ?)')
        .run([clusterId, isOn ? 1 : 0]),
    );
    if (isOn) this.#off.delete(clusterId);
    else this.#off.add(clusterId);
    this.#appendEvent(clusterId, {
      action: isOn ? 'notificationsOn' : 'notificationsOff',
      level: 'INFO',
      message: `notifications switched ${isOn ? 'on' : 'off'}`,
      caller,
      success: true,
    });
  }

  /** Deletes the switch of a removed cluster. */
  forgetCluster(clusterId: string): void {
    this.#off.delete(clusterId);
    this.#store.record(
      (database) =>
        void database.statement('DELETE FROM notification_switches WHERE cluster_id = ?').run([clusterId]),
    );
  }
}
