// Opens the parts of notifications, and does the work that is due every second.
import type { ChannelTrial, OpsExplanation } from '../../descriptions/operations-replies.js';
import { OpsError } from '../errors/ops-error.js';
import { type Alert, type Caller, eventKinds, levels } from '../events/event.js';
import { ChannelRepository } from './channel-repository.js';
import { withLink } from './console-link.js';
import { addressee, DeliveryLog } from './delivery-log.js';
import { explained, explainOver, explainRemoved, mostEntries } from './explain-notices.js';
import type { Notice } from './notice.js';
import type { NotificationParts } from './notification-parts.js';
import { NotificationSwitch } from './notification-switch.js';
import { Pipeline } from './pipeline.js';
import { SilenceRepository } from './silence-repository.js';

/** How long a firing alert is silenced, and why. */
export interface AlertSilence {
  readonly minutes: number;
  readonly comment: string;
}

const pruneEveryMs = 60_000;
/** A client waits for the reply. */
const trialTimeoutMs = 15_000;

/** The parts of notifications. */
export class Notifications {
  readonly channels: ChannelRepository;
  readonly silences: SilenceRepository;
  readonly globalSwitch: NotificationSwitch;
  readonly log: DeliveryLog;
  /** Gets events and changes of alerts. */
  readonly pipeline: Pipeline;
  readonly #parts: NotificationParts;
  #prunedAtMs = Number.NEGATIVE_INFINITY;

  /** Loads the stored state; delivery begins with the first `tick`. */
  constructor(parts: NotificationParts) {
    const { store, clock, appendEvent } = parts;
    this.#parts = parts;
    this.channels = new ChannelRepository({
      ...parts,
      onChange: (channelId, isThere) => this.pipeline.channelChanged(channelId, isThere),
    });
    this.silences = new SilenceRepository(parts);
    this.globalSwitch = new NotificationSwitch(store, appendEvent);
    this.log = new DeliveryLog(store, clock);
    this.pipeline = new Pipeline({
      ...parts,
      channels: this.channels,
      silences: this.silences,
      globalSwitch: this.globalSwitch,
      log: this.log,
    });
  }

  /** Attempts once to send a test notice, which is not queued. @throws OpsError `NotFound` */
  async tryChannel(clusterId: string, channelId: string, caller: Caller): Promise<ChannelTrial> {
    const kept = this.channels.get(clusterId, channelId);
    const { clock, newId, surroundings } = this.#parts;
    const id = newId();
    const notice: Notice = {
      id,
      clusterId,
      status: 'event',
      event: {
        action: eventKinds.channelTested.code,
        api_source_ip: caller.address,
        event_source: 'Colonnade',
        level: levels.INFO,
        level_str: 'INFO',
        message: 'this is a test notice',
        source_node: '127.0.0.1',
        success: null,
        target_node: null,
        time: String(Math.floor(clock.nowMs() * 1000)),
        user: caller.user,
      },
      alert: null,
      rule: null,
      reason: 'test',
    };
    const sent = withLink(notice, surroundings.consoleUrl);
    const delivery = await kept.sender.deliver([sent], id, AbortSignal.timeout(trialTimeoutMs));
    const outcome = delivery.kind === 'sent' ? 'sent' : 'failed';
    const reason = delivery.kind === 'sent' ? (delivery.note ?? '') : delivery.reason;
    this.log.append(clusterId, {
      outcome,
      reason: reason === '' ? 'test' : `test: ${reason}`,
      status: 'event',
      notice_id: id,
      ...addressee(kept),
      alert_id: null,
      alert_rule_id: null,
      rule: null,
      node: null,
      attempts: 1,
    });
    return { outcome, reason };
  }

  /**
   * Why each channel was notified of an alert or was not, firing or over. Behind them come channels of the delivery
   * log that were removed. In steps, because the delivery log may be long.
   * @throws OpsError `NotFound` for an alert that is neither firing nor in the delivery log
   */
  *explain(clusterId: string, alertId: string): Generator<void, readonly OpsExplanation[]> {
    const entries = yield* this.log.search(clusterId, { count: mostEntries, alertId });
    const alert = this.#parts.currentAlert(clusterId, alertId);
    if (alert === undefined && entries.length === 0)
      throw new OpsError('NotFound', `no alert ${alertId} is firing or in the delivery log`);
    const channels = this.channels.list(clusterId);
    const present = channels.map((channel) =>
      explained(channel, entries, (last) =>
        alert === undefined ? explainOver(last) : this.pipeline.explain(channel, alert),
      ),
    );
    return [...present, ...explainRemoved(channels, entries)];
  }

  /**
   * Silences the rule of an alert on its node, data center and table for some time; a silence that does so already is
   * extended. Returns the id of the silence.
   * @throws OpsError as `SilenceRepository.add`
   */
  silenceAlert(clusterId: string, alert: Alert, { minutes, comment }: AlertSilence, caller: Caller): string {
    const { alert_rule_id: rule, node, dc, table } = alert;
    const place = { ...(node === '' ? {} : { node }), ...(table === null ? {} : { table }) };
    const matchers = { rule, ...place, ...(dc === null || dc === '' ? {} : { dc }) };
    const end = Math.ceil(this.#parts.clock.nowMs() / 1000 + minutes * 60);
    return this.silences.addOrExtend(clusterId, { matchers, end, comment }, caller);
  }

  /** The server calls it every second. */
  tick(): void {
    this.silences.tick();
    this.pipeline.tick();
    this.log.tick();
    const nowMs = this.#parts.clock.monotonicMs();
    if (nowMs - this.#prunedAtMs < pruneEveryMs) return;
    this.#prunedAtMs = nowMs;
    this.log.prune();
  }

  /** Deletes the data of a removed cluster. */
  forgetCluster(clusterId: string): void {
    this.channels.forgetCluster(clusterId);
    this.pipeline.forgetCluster(clusterId);
    this.silences.forgetCluster(clusterId);
    this.globalSwitch.forgetCluster(clusterId);
    this.log.forgetCluster(clusterId);
  }

  /** Waits for attempts, then aborts them; undelivered notices are tried again after the next start. */
  close(): Promise<void> {
    return this.pipeline.close();
  }
}
