// The form of an alert rule, with a preview of when it would have fired.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DescribedField } from '../../src/descriptions/described-field.js';
import type { OpsMetricKey, OpsPreview } from '../../src/descriptions/operations-replies.js';
import { change, pathOf, useResource } from '../net/ops-api.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { Dialog } from '../parts/dialog.js';
import { Notice } from '../parts/notice.js';
import { showToast } from '../state/toasts.js';
import { useTask } from '../state/use-task.js';
import { bodyOf, DescribedFields, type Draft, draftOf, shownFields } from './described-fields.js';
import { kinds } from './kinds.js';
import { metricChoices } from './metric-words.js';
import { RuleFailure } from './rule-failure.js';
import type { OpsRule } from './rule-words.js';
import { Seconds } from './show-values.js';

/** What the form begins with: the rule, or a new one of the first kind that compares such a metric. */
function firstDraft(
  rule: OpsRule | undefined,
  metric: string | undefined,
  keys: readonly OpsMetricKey[],
): Draft {
  if (rule !== undefined) return draftOf(rule);
  const { rules } = kinds();
  const isDistribution = keys.find(({ key }) => key === metric)?.is_distribution;
  const fitting = rules.find(({ isOfDistributions }) => isOfDistributions === isDistribution);
  const { name = '' } = (isDistribution === undefined ? rules[0] : fitting) ?? {};
  return metric === undefined ? { type: name } : { type: name, metric };
}

/** The rule to preview: members of a stored rule that the form does not have, as its window, stay as they are. */
function previewOf(
  fields: readonly DescribedField[],
  draft: Draft,
  stored: OpsRule | undefined,
): Readonly<Record<string, unknown>> {
  const replaced = ['id', ...shownFields(fields).map(({ name }) => name)];
  const kept = Object.entries(stored ?? {}).filter(([name]) => !replaced.includes(name));
  return { ...Object.fromEntries(kept), ...bodyOf(fields, draft, true) };
}

interface RuleDialogProps {
  readonly cluster: string;
  readonly rule: OpsRule | undefined;
  /** The key or alias that a new rule compares, if it was chosen before. */
  readonly metric: string | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The dialog for a new rule, or for a stored one. */
export function RuleDialog(props: RuleDialogProps) {
  const { value, failure } = useResource<readonly OpsMetricKey[]>('metric-keys');
  // The kind of a new rule depends on the metric.
  const isWaiting = props.metric !== undefined && value === undefined && failure === undefined;
  return isWaiting ? null : <RuleForm {...props} keys={value ?? []} />;
}

function RuleForm(props: RuleDialogProps & { readonly keys: readonly OpsMetricKey[] }) {
  const { cluster, rule, keys, onClose, onDone } = props;
  const [draft, setDraft] = useState(() => firstDraft(rule, props.metric, keys));
  const { running, failure, run } = useTask<'save' | 'preview'>();
  const [preview, setPreview] = useState<OpsPreview>();
  const isNew = rule === undefined;
  const { rules, metricGroups } = kinds();
  const { fields = [], isOfDistributions } = rules.find(({ name }) => name === draft['type']) ?? {};
  const fitting = keys.filter((key) => key.available && key.is_distribution === isOfDistributions);
  const save = () =>
    run('save', async () => {
      if (rule === undefined)
        await change('POST', pathOf(cluster, 'alert-rules'), bodyOf(fields, draft, true));
      else await change('PUT', pathOf(cluster, 'alert-rules', rule.id), bodyOf(fields, draft, false));
      showToast(isNew ? 'The rule is created' : 'The rule is changed');
      return onDone;
    });
  const show = () =>
    run('preview', async () => {
      setPreview(undefined);
      const path = pathOf(cluster, 'alert-rules', 'preview');
      setPreview(await change<OpsPreview>('POST', path, { rule: previewOf(fields, draft, rule) }));
    });
  return (
    <Dialog
      title={isNew ? 'New alert rule' : 'Change the alert rule'}
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
            {isNew ? 'Create' : 'Save'}
          </Button>
        </>
      }
    >
      <DescribedFields
        fields={fields}
        draft={draft}
        isNew={isNew}
        metrics={metricChoices(fitting, metricGroups)}
        onChange={(changed) => {
          setDraft(changed);
          setPreview(undefined);
        }}
      />
      {preview !== undefined && <PreviewResult preview={preview} />}
    </Dialog>
  );
}

const mostListed = 20;

const previewColumns: readonly TableColumn<OpsPreview['alerts'][number]>[] = [
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
function PreviewResult({ preview }: { readonly preview: OpsPreview }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [preview]);
  return (
    <div class="form" ref={place}>
      <PreviewText preview={preview} />
    </div>
  );
}

function PreviewText({ preview }: { readonly preview: OpsPreview }) {
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
