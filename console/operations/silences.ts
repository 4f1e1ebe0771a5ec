// Silences as the screens use them: which one holds an alert, and their words.
import type { OpsAlert, OpsSilence, SilenceMatchers } from '../../src/descriptions/operations-replies.js';
import { type OpsRule, ruleText } from './rule-words.js';

/** The names of what a silence can match, in the order of forms, with their labels. */
const matcherLabels = [
  ['rule', 'Rule'],
  ['node', 'Node'],
  ['dc', 'Data center'],
  ['table', 'Table'],
] as const satisfies readonly (readonly [keyof SilenceMatchers, string])[];

/** What a silence of an alert would match, as narrow as possible. */
export function matchersOfAlert({ alert_rule_id: rule, node, dc, table }: OpsAlert): SilenceMatchers {
  return {
    rule,
    ...(node === '' ? {} : { node }),
    ...(dc === null || dc === '' ? {} : { dc }),
    ...(table === null ? {} : { table }),
  };
}

/** Whether alerts with these matchers, or an alert, are held by a silence: it has all of its matchers. */
function isHeld(matchers: SilenceMatchers, silence: OpsSilence): boolean {
  return matcherLabels.every(([name]) => {
    const wanted = silence.matchers[name];
    return wanted === undefined || wanted === matchers[name];
  });
}

/** The active silence that holds an alert, the one that ends last; undefined if none does. */
export function silenceOf(alert: OpsAlert, silences: readonly OpsSilence[]): OpsSilence | undefined {
  const matchers = matchersOfAlert(alert);
  return silences
    .filter((silence) => silence.state === 'active' && isHeld(matchers, silence))
    .reduce<OpsSilence | undefined>(
      (last, next) => (last === undefined || next.end > last.end ? next : last),
      undefined,
    );
}

/** The firing alerts that matchers match. */
export function matchedAlerts(matchers: SilenceMatchers, alerts: readonly OpsAlert[]): readonly OpsAlert[] {
  return alerts.filter((alert) => {
    const own = matchersOfAlert(alert);
    return matcherLabels.every(([name]) => matchers[name] === undefined || matchers[name] === own[name]);
  });
}

/** The silence that is not over and has exactly these matchers; undefined if there is none. */
function sameSilence(matchers: SilenceMatchers, silences: readonly OpsSilence[]): OpsSilence | undefined {
  return silences.find(
    ({ state, matchers: own }) =>
      state !== 'expired' && matcherLabels.every(([name]) => own[name] === matchers[name]),
  );
}

/** The silence that a form changes: the one with the id, or else one with the matchers; undefined without either. */
export function changedSilence(
  id: string | undefined,
  matchers: SilenceMatchers,
  silences: readonly OpsSilence[],
): OpsSilence | undefined {
  const named = silences.find((silence) => silence.id === id && silence.state !== 'expired');
  return named ?? sameSilence(matchers, silences);
}

/** What a silence matches, in words. */
export function matchersText({ rule, ...rest }: SilenceMatchers, rules: readonly OpsRule[]): string {
  const known = rules.find(({ id }) => id === rule);
  const words = known === undefined ? (rule ?? '') : ruleText(known);
  return [words, ...Object.entries(rest).map(([name, text]) => `${name} ${text}`)]
    .filter((text) => text !== '')
    .join(' · ');
}

/** Matchers as the subject of an address. */
export function matchersSubject(matchers: SilenceMatchers): string {
  return JSON.stringify(matchers);
}

/** A silence as the subject of an address: its matchers and its id. */
export function silenceSubject({ matchers, id }: OpsSilence): string {
  return JSON.stringify({ ...matchers, id });
}

/** The id of the silence in the subject of an address; undefined where the subject has only matchers. */
export function idInSubject(subject: string): string | undefined {
  try {
    const { id }: { readonly id?: unknown } = Object(JSON.parse(subject));
    return typeof id === 'string' ? id : undefined;
  } catch {
    // A person may have edited the address.
    return undefined;
  }
}

/** The matchers of an address; none where it names something else. */
export function matchersInSubject(subject: string): SilenceMatchers {
  try {
    const given: unknown = JSON.parse(subject === '' ? '{}' : subject);
    const entries = Object.entries(Object(given)).filter(
      ([name, text]) =>
        typeof text === 'string' && text !== '' && matcherLabels.some(([own]) => own === name),
    );
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}
