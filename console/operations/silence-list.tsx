// The silences of a cluster: set, change, end.
import type { OpsSilence } from '../../src/descriptions/operations-replies.js';
import { noteAlertChange } from '../net/alert-summary.js';
import { change, pathOf, useResource } from '../net/ops-api.js';
import { mayChange } from '../net/server-facts.js';
import { Button } from '../parts/button.js';
import { DataTable, type TableColumn } from '../parts/data-table.js';
import { EmptyState } from '../parts/notice.js';
import { Shown } from '../parts/shown.js';
import { openOver } from '../state/url-state.js';
import { doAndReport } from '../state/use-task.js';
import type { OpsRule } from './rule-words.js';
import { Badge, Seconds } from './show-values.js';
import { matchersSubject, matchersText, silenceSubject } from './silences.js';

const everyMs = 10_000;

/** The silences; `changes` counts what was changed beside the list. */
export function SilenceList(props: {
  readonly cluster: string;
  readonly rules: readonly OpsRule[];
  readonly changes: number;
}) {
  const { cluster, rules, changes } = props;
  const path = pathOf(cluster, 'silences');
  const silences = useResource<readonly OpsSilence[]>(path, {
    everyMs,
    changes,
  });
  const end = (id: string) =>
    void doAndReport(
      'The silence has ended',
      () => change('DELETE', pathOf(cluster, 'silences', id)),
      () => {
        silences.reload();
        noteAlertChange();
      },
    );
  const columns = columnsFor(rules, end);
  return (
    <>
      {mayChange() && (
        <div class="button-row">
          <Button kind="primary" icon="plus" onPress={() => openOver('silence', matchersSubject({}))}>
            New silence
          </Button>
        </div>
      )}
      <Shown loaded={silences}>
        {(value) =>
          value.length === 0 ? (
            <EmptyState icon="notifications" title="There are no silences">
              A silence holds the notices of a rule, a node, a data center or a table for some time.
            </EmptyState>
          ) : (
            <DataTable label="Silences" columns={columns} rows={value} keyOf={({ id }) => id} />
          )
        }
      </Shown>
    </>
  );
}

function columnsFor(
  rules: readonly OpsRule[],
  end: (id: string) => void,
): readonly TableColumn<OpsSilence>[] {
  return [
    { title: 'What', kind: 'wide', cell: ({ matchers }) => matchersText(matchers, rules) },
    { title: 'State', cell: ({ state }) => <Badge word={state} /> },
    { title: 'From', kind: 'line', isNamed: true, cell: ({ start }) => <Seconds at={start} /> },
    { title: 'To', kind: 'line', isNamed: true, cell: ({ end: at }) => <Seconds at={at} /> },
    { title: 'By', isNamed: true, cell: ({ author }) => author },
    { title: 'Comment', kind: 'text', cell: ({ comment }) => comment },
    {
      kind: 'buttons',
      cell: (silence) =>
        mayChange() &&
        silence.state !== 'expired' && (
          <div class="button-row end-row">
            <Button onPress={() => openOver('silence', silenceSubject(silence))}>Change</Button>
            <Button onPress={() => end(silence.id)}>End now</Button>
          </div>
        ),
    },
  ];
}
