// What notifications need from outside; each part of them takes some of it.
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { Alert, NewEvent, RuleSummary } from '../events/event.js';
import type { Store } from '../store/store.js';
import type { ChannelSurroundings } from './channel.js';
import type { FollowLimits } from './followed-alert.js';

export interface NotificationParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly surroundings: ChannelSurroundings;
  readonly retryHours: number;
  /** Called in every turn of the event loop with work on notices. */
  noteWork(): void;
  /** The maximum number of waiting notices. Default 100,000. */
  readonly queueLimit?: number;
  /** The maximum number of followed alerts. Default 5,000 for each cluster, 10,000 in all. */
  readonly followLimits?: FollowLimits;
  appendEvent(clusterId: string, event: NewEvent): void;
  /** The alert with its present value; undefined if it is not firing. */
  currentAlert(clusterId: string, alertId: string): Alert | undefined;
  /** The present rule, the same object until it changes; undefined if it was deleted. */
  currentRule(clusterId: string, ruleId: string): RuleSummary | undefined;
  /** Whether the cluster has the alert rule. */
  hasRule(clusterId: string, ruleId: string): boolean;
  /** Whether alerts about a node of the cluster are delivered also while it is down. */
  measuresDownNodes(clusterId: string): boolean;
  /** The cluster's state of a node. */
  isNodeDown(clusterId: string, node: string): boolean;
}
