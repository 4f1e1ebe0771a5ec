// The rules of a cluster: create, change, enable, delete.
import { change, pathOf } from '../net/ops-api.js';
import { mayChange } from '../net/server-facts.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { ConfirmDialog, MissingDialog } from '../parts/dialog.js';
import { EmptyState } from '../parts/notice.js';
import { showToast } from '../state/toasts.js';
import { opened, openOver, place } from '../state/url-state.js';
import { useEntryState } from '../state/use-entry-state.js';
import { doAndReport } from '../state/use-task.js';
import { RuleDialog } from './rule-dialog.js';
import { type OpsRule, ruleText } from './rule-words.js';
import { Badge } from './show-values.js';
import { matchersSubject } from './silences.js';
import { useLastFound } from './use-last-found.js';

/** The rules; `onChange` is called when one was changed. */
export function AlertRules(props: {
  readonly cluster: string;
  readonly rules: readonly OpsRule[];
  readonly onChange: () => void;
}) {
  const { cluster, rules, onChange } = props;
  const [removed, setRemoved] = useEntryState<OpsRule>();
  return (
    <>
      {mayChange() && (
        <div class="button-row">
          <Button kind="primary" icon="plus" onPress={() => openOver('new-rule')}>
            New rule
          </Button>
        </div>
      )}
      {rules.length === 0 && (
        <EmptyState icon="alerts" title="There are no rules">
          A rule fires an alert when a metric passes a threshold, or when a node is down.
        </EmptyState>
      )}
      {rules.length > 0 && <RuleTable {...props} onRemove={setRemoved} />}
      {mayChange() && <OpenedRule {...props} />}
      {removed !== undefined && (
        <RemoveDialog
          cluster={cluster}
          rule={removed}
          onClose={() => setRemoved(undefined)}
          onDone={onChange}
        />
      )}
    </>
  );
}

/** The form that the address says is open: of a rule, or of a new one for a metric. */
function OpenedRule(props: {
  readonly cluster: string;
  readonly rules: readonly OpsRule[];
  readonly onChange: () => void;
}) {
  const { cluster, rules, onChange } = props;
  const over = opened.value;
  const rule = useLastFound(rules, over?.kind === 'rule' ? over.subject : '');
  if (over?.kind !== 'rule' && over?.kind !== 'new-rule') return null;
  const { kind, subject, close } = over;
  if (kind === 'rule' && rule === undefined)
    return (
      <MissingDialog title="This rule is not there" onClose={close}>
        It may have been deleted since this link was made.
      </MissingDialog>
    );
  return (
    <RuleDialog
      key={`${kind} ${subject}`}
      cluster={cluster}
      rule={rule}
      metric={kind === 'new-rule' && subject !== '' ? subject : undefined}
      onClose={close}
      onDone={() => {
        close();
        onChange();
      }}
    />
  );
}

function RuleTable(props: {
  readonly cluster: string;
  readonly rules: readonly OpsRule[];
  readonly onChange: () => void;
  readonly onRemove: (rule: OpsRule) => void;
}) {
  const { cluster, rules, onChange, onRemove } = props;
  const setEnabled = ({ id }: OpsRule, enabled: 0 | 1) =>
    void doAndReport(
      enabled === 1 ? 'The rule is enabled' : 'The rule is disabled',
      () => change('PUT', pathOf(cluster, 'alert-rules', id), { enabled }),
      onChange,
    );
  const columns: readonly TableColumn<OpsRule>[] = [
    { title: 'Rule', kind: 'wide', cell: ruleText },
    { title: 'Level', cell: ({ level }) => <Badge word={level} /> },
    {
      title: 'Repeat',
      kind: 'line',
      isNamed: true,
      cell: ({ notify_interval: minutes }) => (minutes === 0 ? 'once' : `every ${minutes} min`),
    },
    { title: 'State', cell: ({ enabled }) => <Badge word={enabled === 1 ? 'enabled' : 'disabled'} /> },
    {
      kind: 'buttons',
      cell: (rule) =>
        mayChange() && (
          <div class="button-row end-row">
            <Button onPress={() => openOver('silence', matchersSubject({ rule: rule.id }))}>Silence</Button>
            <Button onPress={() => setEnabled(rule, rule.enabled === 1 ? 0 : 1)}>
              {rule.enabled === 1 ? 'Disable' : 'Enable'}
            </Button>
            <Button icon="edit" label="Change the rule" onPress={() => openOver('rule', rule.id)} />
            <Button icon="trash" label="Delete the rule" onPress={() => onRemove(rule)} />
          </div>
        ),
    },
  ];
  return (
    <DataTable
      label="Rules"
      columns={columns}
      rows={rules}
      keyOf={({ id }) => id}
      markedKey={place.value.query['rule']}
    />
  );
}

function RemoveDialog(props: {
  readonly cluster: string;
  readonly rule: OpsRule;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { cluster, rule, onClose, onDone } = props;
  return (
    <ConfirmDialog
      title="Delete the rule"
      action="Delete"
      onClose={onClose}
      onConfirm={async () => {
        await change('DELETE', pathOf(cluster, 'alert-rules', rule.id));
        showToast('The rule is deleted');
        onClose();
        onDone();
      }}
    >
      <p>{ruleText(rule)}</p>
      <p>Its alerts clear, and channels that were notified of them get their end.</p>
    </ConfirmDialog>
  );
}
