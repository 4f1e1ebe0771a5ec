// The pipeline of notices with everything beside it, on a clock and a network that a test owns.
import { type OutgoingRequest, SendFailure } from '../../src/foundation/http/send-request.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { createLogger } from '../../src/foundation/telemetry/logger.js';
import { doSteps } from '../../src/foundation/threads/long-work.js';
import type { Alert, AlertChange, RuleSummary } from '../../src/ops-service/events/event.js';
import { EventLog } from '../../src/ops-service/events/event-log.js';
import { eventMigrations } from '../../src/ops-service/events/event-tables.js';
import type { FollowLimits } from '../../src/ops-service/notifications/followed-alert.js';
import type { NoticeJson } from '../../src/ops-service/notifications/notice.js';
import { notificationMigrations } from '../../src/ops-service/notifications/notification-tables.js';
import { Notifications } from '../../src/ops-service/notifications/notifications.js';
import { Store } from '../../src/ops-service/store/store.js';

const logger = createLogger('silent');
/** Who asks in these tests. */
export const caller = { user: 'ann', address: '127.0.0.1' };

/** What a receiver does with a request: a status, or an error of the network. */
type Behaviour = number | 'refused' | 'lost' | Promise<number>;

/** Alerts, channels, receivers and a file in memory. */
export class Trial {
  nowMs = 1_700_000_000_000;
  /** How long the work between two looks at the clock takes. */
  msPerLook = 0;
  /** How often there was said to be work. */
  notedWork = 0;
  /** The option `--console-url`, from the next start on. */
  consoleUrl: string | undefined;
  /** By how much the wall clock was set. */
  jumpedMs = 0;
  /** Rules that were changed; the others are as in the last change of an alert. */
  readonly rules = new Map<string, RuleSummary>();
  readonly database = openDatabase({ path: ':memory:' });
  readonly downNodes = new Set<string>();
  readonly values = new Map<string, number>();
  behaviour = (_url: string, _notice: NoticeJson): Behaviour => 200;
  received: { readonly url: string; readonly notice: NoticeJson }[] = [];
  tried = 0;
  #ids = 0;
  #runs = 0;
  store: Store;
  events: EventLog;
  notifications: Notifications;

  constructor() {
    for (const { sql } of [...eventMigrations, ...notificationMigrations]) this.database.exec(sql);
    ({ store: this.store, events: this.events, notifications: this.notifications } = this.#open());
  }

  /** Does what a crash does: everything in memory is gone. */
  restart(queueLimit?: number, followLimits?: FollowLimits): void {
    this.store.flush();
    ({
      store: this.store,
      events: this.events,
      notifications: this.notifications,
    } = this.#open(queueLimit, followLimits));
  }

  #open(queueLimit?: number, followLimits?: FollowLimits) {
    const run = ++this.#runs;
    const store = new Store(this.database, logger);
    const clock = {
      nowMs: () => this.nowMs + this.jumpedMs,
      monotonicMs: () => {
        this.nowMs += this.msPerLook;
        return this.nowMs - 1_690_000_000_000;
      },
    };
    const events = new EventLog(store, clock, logger);
    const notifications = new Notifications({
      store,
      clock,
      random: () => 0,
      newId: () => `id-${++this.#ids}`,
      logger,
      surroundings: {
        // After a restart the parts of the run before send and receive nothing.
        sendRequest: (request) => (run === this.#runs ? this.#receive(request) : new Promise(() => {})),
        connect: () => Promise.reject(new Error('no mail in this trial')),
        resolve: () => Promise.reject(new Error('no datagrams in this trial')),
        timeoutMs: 1000,
        consoleUrl: this.consoleUrl,
        nowMs: clock.nowMs,
      },
      retryHours: 24,
      noteWork: () => {
        this.notedWork += 1;
      },
      ...(queueLimit === undefined ? {} : { queueLimit }),
      ...(followLimits === undefined ? {} : { followLimits }),
      appendEvent: (clusterId, event) => void events.append(clusterId, event),
      currentAlert: (_, id) => {
        const value = this.values.get(id);
        return value === undefined ? undefined : { ...alert(id), current_value: value };
      },
      currentRule: (_, id) => this.rules.get(id),
      hasRule: () => true,
      measuresDownNodes: () => false,
      isNodeDown: (_, node) => this.downNodes.has(node),
    });
    events.subscribe(notifications.pipeline.accept);
    return { store, events, notifications };
  }

  async #receive(request: OutgoingRequest) {
    this.tried += 1;
    const notice: NoticeJson = JSON.parse(String(request.body));
    const behaviour = await this.behaviour(request.url, notice);
    if (behaviour === 'refused') throw new SendFailure('unreachable', 'connect ECONNREFUSED');
    const lost = behaviour === 'lost';
    if (behaviour === 200 || lost) this.received.push({ url: request.url, notice });
    if (lost) throw new SendFailure('timeout', 'no whole reply within 1000 ms', undefined, true);
    return { status: behaviour, header: () => undefined, body: Buffer.from('') };
  }

  channel(settings: Readonly<Record<string, unknown>> = {}): string {
    const sent = { type: 'webhook', url: 'http://receiver.example/hook', ...settings };
    return this.notifications.channels.add('local', sent, caller);
  }

  change(
    kind: AlertChange['kind'],
    id: string,
    more: { alert?: Partial<Alert>; rule?: Partial<RuleSummary> } = {},
  ): void {
    const changed = { ...alert(id), ...more.alert };
    this.events.append('local', {
      action: kind === 'cleared' ? 'alertCleared' : kind === 'fired' ? 'alertFired' : 'alertAcknowledged',
      level: kind === 'fired' ? changed.level : 'INFO',
      message: `alert ${id} ${kind}`,
      sourceNode: changed.node,
      change: {
        kind,
        alert: changed,
        rule: { ...rule, ...more.rule },
        reason: kind === 'cleared' ? 'value 10 is below 85' : 'value 93 above 85',
      },
    });
  }

  /** Changes the rule of the alerts, and says so. */
  changeRule(change: Partial<RuleSummary>): void {
    this.rules.set(rule.id, { ...(this.rules.get(rule.id) ?? rule), ...change });
    this.notifications.pipeline.ruleChanged('local', rule.id);
  }

  /** Lets the time pass second by second, and everything come to rest in between. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.nowMs += 1000;
      this.notifications.tick();
      await this.settle();
    }
  }

  async settle(): Promise<void> {
    await this.notifications.pipeline.settled();
    this.store.flush();
  }

  /** What arrived since the last call: `firing a`. */
  take(): string[] {
    const taken = this.received.map(({ notice }) => `${notice.status} ${notice.alert?.id ?? notice.message}`);
    this.received = [];
    return taken;
  }

  /** The delivery log, oldest first: `held a: silenced`. */
  log(): string[] {
    const entries = doSteps(this.notifications.log.search('local', { count: 1000 }));
    return entries.map(({ outcome, alert_id, reason }) => `${outcome} ${alert_id}: ${reason}`).reverse();
  }
}

/** The rule of all alerts. */
export const rule: RuleSummary = {
  id: 'rule-1',
  name: 'os-disk-usage above 85',
  type: 'rolling-avg',
  metric: 'os-disk-usage',
  level: 'WARN',
  notifyIntervalMinutes: 0,
  annotations: {},
};

/** An alert that fires. */
export function alert(id: string): Alert {
  return {
    id,
    alert_rule_id: 'rule-1',
    node: '10.0.0.1',
    dc: 'dc1',
    table: null,
    device: null,
    level: 'WARN',
    state: 'firing',
    current_value: 93,
    first_fired: 1_700_000_000,
  };
}
