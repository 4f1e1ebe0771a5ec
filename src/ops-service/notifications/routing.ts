// Which alerts and events go to a channel, and how often.
import type { Alert, Event, LevelName, RuleSummary } from '../events/event.js';
import type { KeptChannel } from './channel-repository.js';
import type { Repeats } from './stages.js';

/** Whether the settings of a channel name the level, or all. */
function takesLevel({ settings }: KeptChannel, level: LevelName): boolean {
  return settings.levels.length === 0 || settings.levels.includes(level);
}

/** Whether the channel takes events, and those of the level. */
export function takesEvent(channel: KeptChannel, { level_str: level }: Event): boolean {
  return channel.settings.events && takesLevel(channel, level);
}

/** Whether the settings of a channel name level and rule of the alert. */
export function takesAlert(channel: KeptChannel, { level, alert_rule_id: ruleId }: Alert): boolean {
  const { rules } = channel.settings;
  return takesLevel(channel, level) && (rules.length === 0 || rules.includes(ruleId));
}

/** How often a channel gets a notice of an alert that fires. */
export function repeatsOf({ kind }: KeptChannel, { notifyIntervalMinutes }: RuleSummary): Repeats {
  const isRefresh = kind.refreshMs !== undefined;
  return { intervalMs: kind.refreshMs ?? notifyIntervalMinutes * 60_000, isRefresh };
}
