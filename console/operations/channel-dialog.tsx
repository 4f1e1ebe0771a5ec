// The form of a notification channel: its fields depend on the type.
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { CheckField, SelectField, TextField } from '../parts/field.js';
import { FailureNotice } from '../parts/notice.js';
import { showToast } from '../state/toasts.js';
import { useTask } from '../state/use-task.js';
import { levels } from './event-words.js';
import { change, pathOf } from './ops-api.js';

/** A channel; secrets are never shown. */
export interface OpsChannel {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly levels: readonly string[];
  readonly events?: boolean;
  readonly url?: string;
  readonly host?: string;
  readonly to?: readonly string[];
}

interface ChannelField {
  readonly name: string;
  readonly label: string;
  readonly isSecret?: boolean;
  readonly isNumber?: boolean;
  /** Several values, separated by commas. */
  readonly isList?: boolean;
  readonly choices?: readonly string[];
  readonly placeholder?: string;
}

const url: ChannelField = { name: 'url', label: 'Address', placeholder: 'https://…' };
const login: readonly ChannelField[] = [
  { name: 'username', label: 'User (optional)' },
  { name: 'password', label: 'Password (optional)', isSecret: true },
];
const host: ChannelField = { name: 'host', label: 'Host' };

const fieldsOf: Readonly<Record<string, readonly ChannelField[]>> = {
  webhook: [url, { name: 'format', label: 'Format', choices: ['json', 'form', 'alertmanager'] }, ...login],
  email: [
    host,
    { name: 'port', label: 'Port (optional)', isNumber: true },
    { name: 'security', label: 'Security', choices: ['starttls', 'tls', 'none'] },
    { name: 'from', label: 'From' },
    { name: 'to', label: 'To, separated by commas', isList: true },
    ...login,
  ],
  slack: [url],
  teams: [url],
  pagerduty: [{ name: 'routing_key', label: 'Routing key', isSecret: true }],
  alertmanager: [url, ...login],
  snmp: [
    host,
    { name: 'port', label: 'Port (optional)', isNumber: true },
    { name: 'version', label: 'Version', choices: ['3', '2c', '1'] },
    { name: 'community', label: 'Community (1 and 2c)', isSecret: true },
    { name: 'username', label: 'User (3)' },
    { name: 'auth_key', label: 'Authentication key (3)', isSecret: true },
    { name: 'privacy_key', label: 'Privacy key (3)', isSecret: true },
  ],
};

/** Types whose receivers take events too. */
const takesEvents: readonly string[] = ['webhook', 'email', 'slack', 'teams', 'snmp'];

/** The dialog for a new channel, or for a stored one. */
export function ChannelDialog(props: {
  readonly cluster: string;
  readonly channel: OpsChannel | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { cluster, channel, onClose } = props;
  const [type, setType] = useState(channel?.type ?? 'webhook');
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() => textsOf(channel));
  const [chosen, setChosen] = useState<readonly string[]>(channel?.levels ?? []);
  const [hasEvents, setEvents] = useState(channel?.events ?? false);
  const { running, failure, run } = useTask();
  const fields = fieldsOf[type] ?? [];
  const save = () =>
    run('save', async () => {
      const own = settingsOf(fields, texts, channel === undefined);
      const events = takesEvents.includes(type) ? { events: hasEvents } : {};
      await store(cluster, channel, type, { name: texts['name'] ?? '', levels: chosen, ...events, ...own });
      return props.onDone;
    });
  return (
    <Dialog
      title={channel === undefined ? 'New channel' : 'Change the channel'}
      onClose={onClose}
      onSubmit={() => void save()}
      isSending={running !== undefined}
      message={failure !== undefined && <FailureNotice failure={failure} />}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={running !== undefined}>
            {channel === undefined ? 'Add' : 'Save'}
          </Button>
        </>
      }
    >
      <SelectField
        label="Type"
        value={type}
        isDisabled={channel !== undefined}
        choices={Object.keys(fieldsOf)}
        onChange={setType}
      />
      <TextField label="Name" value={texts['name'] ?? ''} onChange={(name) => setTexts({ ...texts, name })} />
      {fields.map((field) => (
        <ChannelInput
          key={field.name}
          field={field}
          isStored={channel !== undefined}
          value={texts[field.name] ?? field.choices?.[0] ?? ''}
          onChange={(value) => setTexts({ ...texts, [field.name]: value })}
        />
      ))}
      <LevelChoice chosen={chosen} onChange={setChosen} />
      {takesEvents.includes(type) && (
        <CheckField label="Also every event of the log" isChecked={hasEvents} onChange={setEvents} />
      )}
    </Dialog>
  );
}

async function store(
  cluster: string,
  channel: OpsChannel | undefined,
  type: string,
  body: object,
): Promise<void> {
  const path = pathOf(cluster, 'notification-channels');
  if (channel === undefined) await change('POST', path, { type, ...body });
  else await change('PUT', `${path}/${encodeURIComponent(channel.id)}`, body);
  showToast(channel === undefined ? 'The channel is added: send a test' : 'The channel is changed');
}

function LevelChoice(props: {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  const { chosen, onChange } = props;
  return (
    <fieldset class="form">
      <legend class="muted">Levels (none means all)</legend>
      <div class="button-row">
        {levels.slice(1).map((name) => (
          <CheckField
            key={name}
            label={name}
            isChecked={chosen.includes(name)}
            onChange={(isChosen) =>
              onChange(isChosen ? [...chosen, name] : chosen.filter((other) => other !== name))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

function ChannelInput(props: {
  readonly field: ChannelField;
  readonly isStored: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { field, isStored, value, onChange } = props;
  const { label, choices, isSecret = false, placeholder } = field;
  if (choices !== undefined)
    return <SelectField label={label} value={value} choices={choices} onChange={onChange} />;
  return (
    <TextField
      label={label}
      value={value}
      type={isSecret ? 'password' : 'text'}
      placeholder={isSecret && isStored ? 'unchanged' : (placeholder ?? '')}
      onChange={onChange}
    />
  );
}

function textsOf(channel: OpsChannel | undefined): Readonly<Record<string, string>> {
  if (channel === undefined) return {};
  const entries = Object.entries(channel).flatMap(([name, value]): (readonly [string, string])[] => {
    if (Array.isArray(value)) return [[name, value.join(', ')]];
    return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [];
  });
  return Object.fromEntries(entries);
}

/** The members for the server; an empty secret of a stored channel is kept, any other empty text is removed. */
function settingsOf(
  fields: readonly ChannelField[],
  texts: Readonly<Record<string, string>>,
  isNew: boolean,
): Readonly<Record<string, unknown>> {
  const members = fields.flatMap((field): (readonly [string, unknown])[] => {
    const { name, choices, isNumber, isList, isSecret } = field;
    const text = (texts[name] ?? choices?.[0] ?? '').trim();
    if (text === '') return isNew || isSecret === true ? [] : [[name, null]];
    if (isList === true) return [[name, text.split(',').map((part) => part.trim())]];
    return [[name, isNumber === true && Number.isFinite(Number(text)) ? Number(text) : text]];
  });
  return Object.fromEntries(members);
}
