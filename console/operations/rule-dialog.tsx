// The form of an alert rule, with a preview of when it would have fired.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { Dialog } from '../parts/dialog.js';
import { SelectField, TextField } from '../parts/field.js';
import { Notice } from '../parts/notice.js';
import { showToast } from '../state/toasts.js';
import { useTask } from '../state/use-task.js';
import { AnnotationFields, annotationRows, annotationsText, repeatedName } from './annotation-fields.js';
import { levels } from './event-words.js';
import { metricChoices } from './metric-words.js';
import { change, type OpsMetricKey, type OpsRule, pathOf, read } from './ops-api.js';
import { RuleFailure } from './rule-failure.js';
import { Seconds } from './show-values.js';

const types = [
  { value: 'rolling-avg', label: 'the average of a metric' },
  { value: 'percentile', label: 'a percentile of latencies' },
  { value: 'cluster-balance', label: 'the balance of data' },
  { value: 'node-down', label: 'a node is down' },
  { value: 'agent-issue', label: 'a node gives no metrics' },
] as const;

/** The texts of the form; annotations are a list of names and texts, as JSON. */
type Draft = Readonly<Record<string, string>>;

const numbers = [
  'threshold',
  'resolve_threshold',
  'percentile',
  'spread',
  'duration',
  'notify_interval',
  'window',
];
const comparing: readonly string[] = ['rolling-avg', 'percentile'];

/** The fields of the form for a type. */
function fieldsOf(type: string): readonly string[] {
  const own = comparing.includes(type)
    ? ['metric', 'comparator', 'threshold', 'resolve_threshold', 'cf', 'item']
    : type === 'cluster-balance'
      ? ['spread', 'resolve_threshold']
      : [];
  return [
    ...own,
    ...(type === 'percentile' ? ['percentile'] : []),
    'duration',
    'notify_interval',
    'level',
    'no_data',
    'dc',
    'annotations',
  ];
}

const defaults: Draft = {
  type: 'rolling-avg',
  metric: 'write-ops',
  comparator: '>',
  threshold: '',
  percentile: '99',
  spread: '25',
  duration: '5',
  notify_interval: '0',
  level: 'WARN',
  no_data: 'keep',
};

function draftOf(rule: OpsRule | undefined, metric: string | undefined): Draft {
  if (rule === undefined) return { ...defaults, ...(metric === undefined ? {} : startFor(metric)) };
  const texts = Object.entries(rule).map(([name, value]) => [name, String(value)]);
  return {
    ...Object.fromEntries(texts),
    annotations: annotationsText(Object.entries(rule.annotations ?? {})),
  };
}

function startFor(metric: string): Draft {
  return { metric, type: isLatency(metric) ? 'percentile' : 'rolling-avg' };
}

/** The body for the server; empty texts are left out, or removed from a stored rule. */
function bodyOf(draft: Draft, isNew: boolean): Readonly<Record<string, unknown>> {
  const type = draft['type'] ?? '';
  const entries = fieldsOf(type).flatMap((name): (readonly [string, unknown])[] => {
    if (name === 'annotations') return annotationEntries(draft[name], isNew);
    const text = (draft[name] ?? '').trim();
    if (text === '') return isNew ? [] : [[name, null]];
    return [[name, numbers.includes(name) ? numberOf(text) : text]];
  });
  return { type, ...Object.fromEntries(entries) };
}

/**
 * Rows without a name and a text are left out; without rows the rule has no annotations.
 * @throws Error when two rows have the same name
 */
function annotationEntries(text: string | undefined, isNew: boolean): (readonly [string, unknown])[] {
  const rows = annotationRows(text).filter(([name, value]) => name.trim() !== '' || value.trim() !== '');
  if (rows.length === 0) return isNew ? [] : [['annotations', null]];
  const repeated = repeatedName(rows);
  if (repeated !== undefined) throw new Error(`Two annotations are named ${repeated}: rename or remove one.`);
  return [['annotations', Object.fromEntries(rows.map(([name, value]) => [name.trim(), value]))]];
}

/** The rule to preview: members of a stored rule that the form does not have, as its window, stay as they are. */
function previewOf(draft: Draft, stored: OpsRule | undefined): Readonly<Record<string, unknown>> {
  const replaced = ['id', ...fieldsOf(draft['type'] ?? '')];
  const kept = Object.entries(stored ?? {}).filter(([name]) => !replaced.includes(name));
  return { ...Object.fromEntries(kept), ...bodyOf(draft, true) };
}

/** The server reports what is wrong with a text that is not a number. */
function numberOf(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

interface Preview {
  readonly count: number;
  readonly series: number;
  readonly step: number;
  readonly alerts: readonly {
    readonly node: string;
    readonly table: string | null;
    readonly device: string | null;
    readonly fired: number;
    readonly cleared: number | null;
    readonly reason: string;
  }[];
}

/** The dialog for a new rule, or for a stored one. */
export function RuleDialog(props: {
  readonly cluster: string;
  readonly rule: OpsRule | undefined;
  readonly metric: string | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { cluster, rule, onClose, onDone } = props;
  const [draft, setDraft] = useState(() => draftOf(rule, props.metric));
  const { running, failure, run } = useTask<'save' | 'preview'>();
  const [preview, setPreview] = useState<Preview>();
  const save = () =>
    run('save', async () => {
      if (rule === undefined) await change('POST', pathOf(cluster, 'alert-rules'), bodyOf(draft, true));
      else await change('PUT', pathOf(cluster, 'alert-rules', rule.id), bodyOf(draft, false));
      showToast(rule === undefined ? 'The rule is created' : 'The rule is changed');
      return onDone;
    });
  const show = () =>
    run('preview', async () => {
      setPreview(undefined);
      const path = pathOf(cluster, 'alert-rules', 'preview');
      setPreview(await change<Preview>('POST', path, { rule: previewOf(draft, rule) }));
    });
  return (
    <Dialog
      title={rule === undefined ? 'New alert rule' : 'Change the alert rule'}
      isWide
      onClose={onClose}
      onSubmit={() => void save()}
      isSending={running === 'save'}
      message={failure !== undefined && <RuleFailure failure={failure} />}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button isBusy={running !== undefined} onPress={() => void show()}>
            Preview the last day
          </Button>
          <Button kind="primary" type="submit" isBusy={running !== undefined}>
            {rule === undefined ? 'Create' : 'Save'}
          </Button>
        </>
      }
    >
      <RuleFields
        draft={draft}
        isNew={rule === undefined}
        onChange={(name, value) => {
          setDraft({ ...draft, [name]: value });
          setPreview(undefined);
        }}
      />
      {preview !== undefined && <PreviewResult preview={preview} />}
    </Dialog>
  );
}

function RuleFields(props: {
  readonly draft: Draft;
  readonly isNew: boolean;
  readonly onChange: (name: string, value: string) => void;
}) {
  const { draft, isNew, onChange } = props;
  const type = draft['type'] ?? '';
  const fields = fieldsOf(type);
  const text = (name: string, label: string) => (
    <TextField
      key={name}
      label={label}
      value={draft[name] ?? ''}
      onChange={(value) => onChange(name, value)}
    />
  );
  return (
    <>
      <div class="form-row">
        <SelectField
          label="Fires on"
          isWide
          value={type}
          isDisabled={!isNew}
          choices={types}
          onChange={(value) => onChange('type', value)}
        />
        {fields.includes('metric') && <MetricField draft={draft} onChange={onChange} />}
        {fields.includes('percentile') && (
          <SelectField
            label="Percentile"
            value={draft['percentile'] ?? '99'}
            choices={['50', '90', '99', { value: '100', label: 'maximum' }]}
            onChange={(value) => onChange('percentile', value)}
          />
        )}
      </div>
      <BoundaryFields draft={draft} fields={fields} text={text} onChange={onChange} />
      <div class="form-row">
        {text('duration', 'For minutes')}
        {text('notify_interval', 'Repeat (min, 0: never)')}
        <SelectField
          label="Level"
          value={draft['level'] ?? 'WARN'}
          choices={levels}
          onChange={(value) => onChange('level', value)}
        />
      </div>
      <div class="form-row">
        {fields.includes('cf') && text('cf', 'Table (optional)')}
        {fields.includes('item') && text('item', 'Device (optional)')}
        {text('dc', 'Data center (optional)')}
        <NoDataField draft={draft} onChange={onChange} />
      </div>
      <AnnotationFields text={draft['annotations']} onChange={(text) => onChange('annotations', text)} />
    </>
  );
}

function NoDataField({ draft, onChange }: { readonly draft: Draft; readonly onChange: OnChange }) {
  return (
    <SelectField
      label="Missing values"
      isWide
      value={draft['no_data'] ?? 'keep'}
      choices={[
        { value: 'keep', label: 'change nothing' },
        { value: 'ok', label: 'clear the alert' },
        { value: 'alert', label: 'fire an alert' },
      ]}
      onChange={(value) => onChange('no_data', value)}
    />
  );
}

type OnChange = (name: string, value: string) => void;

/** Suggests the metrics that the type compares. */
function MetricField({ draft, onChange }: { readonly draft: Draft; readonly onChange: OnChange }) {
  const keys = useLoaded('metric-keys', (signal) => read<readonly OpsMetricKey[]>('metric-keys', signal));
  const metric = draft['metric'] ?? '';
  const fitting = (keys.value ?? []).filter(
    ({ key, available }) => available && isLatency(key) === (draft['type'] === 'percentile'),
  );
  const choices = metricChoices(fitting);
  // A rule may name a metric that no cluster provides now, or another name of one.
  const isListed = choices.some(({ value }) => value === metric);
  return (
    <SelectField
      label="Metric"
      isWide
      value={metric}
      choices={
        isListed
          ? choices
          : [{ value: metric, label: metric === '' ? 'choose a metric' : metric }, ...choices]
      }
      onChange={(value) => onChange('metric', value)}
    />
  );
}

function isLatency(key: string): boolean {
  return /histogram|latency/.test(key);
}

function BoundaryFields(props: {
  readonly draft: Draft;
  readonly fields: readonly string[];
  readonly text: (name: string, label: string) => ComponentChildren;
  readonly onChange: OnChange;
}) {
  const { draft, fields, text, onChange } = props;
  return (
    <>
      {fields.includes('threshold') && (
        <div class="form-row">
          <SelectField
            label="When it is"
            value={draft['comparator'] ?? '>'}
            choices={[
              { value: '>', label: 'above' },
              { value: '<', label: 'below' },
            ]}
            onChange={(value) => onChange('comparator', value)}
          />
          {text('threshold', 'Threshold')}
          {text('resolve_threshold', 'Clears past (optional)')}
        </div>
      )}
      {fields.includes('spread') && (
        <div class="form-row">
          {text('spread', 'Spread in percent')}
          {text('resolve_threshold', 'Clears below (optional)')}
        </div>
      )}
    </>
  );
}

const mostListed = 20;

const previewColumns: readonly TableColumn<Preview['alerts'][number]>[] = [
  { title: 'Fired', kind: 'line', cell: ({ fired }) => <Seconds at={fired} /> },
  {
    title: 'Cleared',
    kind: 'line',
    isNamed: true,
    cell: ({ cleared }) => (cleared === null ? 'still firing' : <Seconds at={cleared} />),
  },
  {
    title: 'Where',
    cell: ({ table, device, node }) => [table ?? device, node].filter(Boolean).join(' · '),
  },
  { title: 'Why', kind: 'wide', cell: ({ reason }) => reason },
];

/** The result scrolls into view: it stands below all fields. */
function PreviewResult({ preview }: { readonly preview: Preview }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [preview]);
  return (
    <div class="form" ref={place}>
      <PreviewText preview={preview} />
    </div>
  );
}

function PreviewText({ preview }: { readonly preview: Preview }) {
  const { count, series, alerts, step } = preview;
  if (series === 0)
    return (
      <Notice kind="info" title="There are no stored values of this metric yet: it would not have fired." />
    );
  if (count === 0) return <Notice kind="info" title="It would not have fired in the last day." />;
  const times = count === 1 ? 'once' : `${count} times`;
  return (
    <>
      <Notice kind="warning" title={`It would have fired ${times} in the last day.`}>
        <p>Evaluated on averages of {step / 60} min, so times may differ by a minute.</p>
      </Notice>
      <DataTable
        label="Preview"
        columns={previewColumns}
        rows={alerts.slice(0, mostListed)}
        keyOf={({ node, table, device, fired }) => `${node} ${table} ${device} ${fired}`}
      />
    </>
  );
}
