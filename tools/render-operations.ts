// Renders the tables of docs/operations.md from the descriptions of rules, channels and events.
import type { DescribedField } from '../src/descriptions/described-field.js';
import { describedRuleKinds } from '../src/ops-service/alerts/describe-rules.js';
import { eventKinds } from '../src/ops-service/events/event.js';
import { routingEntries } from '../src/ops-service/notifications/channel.js';
import { describedChannelKinds } from '../src/ops-service/notifications/describe-channels.js';
import { renderTable } from './render-table.js';

/** The tables by the titles that the document names in its comments. */
export const operationsTables: Readonly<Record<string, () => string>> = {
  events: renderEvents,
  'types of rules': renderRuleKinds,
  'fields of rules': renderRuleFields,
  'types of channels': renderChannelKinds,
};

function renderEvents(): string {
  const kinds = Object.values<{ readonly code: number; readonly label: string; readonly help?: string }>(
    eventKinds,
  );
  return renderTable(
    ['code', 'what'],
    kinds.map(({ code, label, help }) => [String(code), help === undefined ? label : `${label}: ${help}`]),
  );
}

function renderRuleKinds(): string {
  return renderTable(
    ['type', 'fires when'],
    describedRuleKinds.map(({ name, help }) => [`\`${name}\``, help]),
  );
}

/** A row for each field and meaning, with the types that have it. */
function renderRuleFields(): string {
  const types = new Map<string, string[]>();
  for (const { name: type, fields } of describedRuleKinds) {
    for (const field of fields) {
      if (field.name === 'type') continue;
      const row = JSON.stringify([`\`${field.name}\``, meaningOf(field)]);
      types.set(row, [...(types.get(row) ?? []), `\`${type}\``]);
    }
  }
  const rows = [...types].map(([row, names]): readonly string[] => {
    const [name = '', meaning = ''] = JSON.parse(row) as readonly string[]; // It was written above.
    return [name, names.length === describedRuleKinds.length ? 'all' : names.join(' '), meaning];
  });
  return renderTable(['field', 'types', 'meaning'], rows);
}

function meaningOf({ help, label, kind, choices = [], isRequired, ...field }: DescribedField): string {
  const codes = choices.map(({ value }) => `\`${value}\``);
  const areNamed = codes.every((code) => help?.includes(code) === true);
  const values = kind === 'choice' && !areNamed ? [codes.join(' ')] : [];
  const missing = isRequired ? ['required'] : field.default === undefined ? [] : [`default ${field.default}`];
  const { least, most } = field;
  const limits = kind === 'number' && most !== undefined ? [`${least} to ${most}`] : [];
  const notes = [...values, ...limits, ...missing];
  return notes.length === 0 ? (help ?? label) : `${help ?? label} (${notes.join('; ')})`;
}

function renderChannelKinds(): string {
  const rows = describedChannelKinds.map(({ name, fields }) => {
    const own = fields.filter((field) => field.name !== 'type' && !Object.hasOwn(routingEntries, field.name));
    const takesEvents = fields.some((field) => field.name === 'events');
    return [`\`${name}\``, `${own.map(memberText).join(', ')}${takesEvents ? '' : '; no events'}`];
  });
  const headings = [
    'type',
    'members in addition to `name`, `levels`, `rules`, `events` (empty lists mean all)',
  ];
  return renderTable(headings, rows);
}

function memberText({ name, help, remark, kind, choices = [] }: DescribedField): string {
  const values = kind === 'choice' ? [choices.map(({ value }) => `\`${value}\``).join(', ')] : [];
  const isOnlyFor = remark !== '' && remark !== '(optional)';
  const notes = [
    ...(help === undefined ? [] : [help]),
    ...(isOnlyFor ? [remark.slice(1, -1)] : []),
    ...values,
  ];
  return notes.length === 0 ? `\`${name}\`` : `\`${name}\` (${notes.join('; ')})`;
}
