// The form of a silence: what it holds, for how long, by whom and why.
import { useRef, useState } from 'preact/hooks';
import type {
  OpsAlert,
  OpsNode,
  OpsSilence,
  SilenceMatchers,
} from '../../src/descriptions/operations-replies.js';
import { noteAlertChange } from '../net/alert-summary.js';
import { change, pathOf, read } from '../net/ops-api.js';
import { serverFacts } from '../net/server-facts.js';
import { useLoaded } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { counted } from '../parts/counted.js';
import { Dialog } from '../parts/dialog.js';
import { SelectField, TextField } from '../parts/field.js';
import { FailureNotice, Notice } from '../parts/notice.js';
import { showToast } from '../state/toasts.js';
import { useTask } from '../state/use-task.js';
import { localTimeText, secondsOfLocalTime } from './chart-time.js';
import { type OpsRule, ruleText } from './rule-words.js';
import { Seconds } from './show-values.js';
import { changedSilence, matchedAlerts } from './silences.js';

const durations = [
  { value: '30', label: '30 minutes' },
  { value: '60', label: '1 hour' },
  { value: '120', label: '2 hours' },
  { value: '240', label: '4 hours' },
  { value: '480', label: '8 hours' },
  { value: '1440', label: '1 day' },
  { value: '4320', label: '3 days' },
  { value: '10080', label: '1 week' },
  { value: '43200', label: '30 days' },
  { value: 'until', label: 'until a time' },
] as const;

/** The author of the last silence of this page: without a login the server does not know who it is. */
let lastAuthor = '';

function useFacts(cluster: string) {
  return useLoaded(`${cluster}/silence-facts`, async (signal) => {
    const [rules, nodes, alerts, silences] = await Promise.all([
      read<readonly OpsRule[]>(pathOf(cluster, 'alert-rules'), signal),
      read<readonly OpsNode[]>(pathOf(cluster, 'nodes'), signal),
      read<readonly OpsAlert[]>(pathOf(cluster, 'alerts'), signal),
      read<readonly OpsSilence[]>(pathOf(cluster, 'silences'), signal),
    ]);
    return { rules, nodes, alerts, silences };
  });
}

type SilenceFacts = NonNullable<ReturnType<typeof useFacts>['value']>;

/** What is typed into the form. */
interface SilenceTexts {
  readonly minutes: string;
  /** The local time of the end, if `minutes` is `until`. */
  readonly until: string;
  readonly comment: string;
  readonly author: string;
}

/** The texts that the form begins with: those of the silence that it changes. */
function startOf(changed: OpsSilence | undefined): SilenceTexts {
  if (changed === undefined) return { minutes: '60', until: '', comment: '', author: lastAuthor };
  const { end, comment, author } = changed;
  return { minutes: 'until', until: localTimeText(end), comment, author };
}

interface DialogProps {
  readonly cluster: string;
  /** The silence to change; without an id it is one with the same matchers, if there is one. */
  readonly id: string | undefined;
  readonly matchers: SilenceMatchers;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The dialog for a silence with these matchers, which can be changed. */
export function SilenceDialog(props: DialogProps) {
  const { cluster, onClose } = props;
  const facts = useFacts(cluster);
  const [matchers, setMatchers] = useState(props.matchers);
  const [typed, setTyped] = useState<Partial<SilenceTexts>>({});
  const same = changedSilence(props.id, matchers, facts.value?.silences ?? []);
  const texts = { ...startOf(same), ...typed };
  const { running, failure, save, end } = useSaving(props, matchers, texts, same);
  // Until the silences are known, it is not known what the form changes.
  const isBusy = running !== undefined || (facts.value === undefined && facts.failure === undefined);
  return (
    <Dialog
      title={same === undefined ? 'Silence notices' : 'Change the silence'}
      onClose={onClose}
      onSubmit={facts.value === undefined ? facts.reload : save}
      isSending={running !== undefined}
      message={
        <>
          {facts.failure !== undefined && <FailureNotice failure={facts.failure} onRetry={facts.reload} />}
          {failure !== undefined && <FailureNotice failure={failure} />}
        </>
      }
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          {same !== undefined && (
            <Button isBusy={isBusy} onPress={end}>
              End it now
            </Button>
          )}
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {same === undefined ? 'Silence' : 'Save'}
          </Button>
        </>
      }
    >
      {same !== undefined && <Existing silence={same} />}
      <MatcherFields cluster={cluster} matchers={matchers} facts={facts.value} onChange={setMatchers} />
      <TextFields texts={texts} onChange={(changed) => setTyped({ ...typed, ...changed })} />
      <Held matchers={matchers} alerts={facts.value?.alerts} />
    </Dialog>
  );
}

/** Stores the silence in place of the one that the form changes, or ends that one. */
function useSaving(
  { cluster, id, onDone }: DialogProps,
  matchers: SilenceMatchers,
  texts: SilenceTexts,
  same: OpsSilence | undefined,
) {
  const { running, failure, run } = useTask<'save' | 'end'>();
  const path = pathOf(cluster, 'silences');
  // The ids of the silences that this form stored: a second attempt replaces what a failed one left.
  const stored = useRef(new Set<string>());
  const readReplaced = async () => {
    const silences = await read<readonly OpsSilence[]>(path);
    const changed = changedSilence(same?.id ?? id, matchers, silences);
    return silences.filter(
      (one) => one.state !== 'expired' && (one === changed || stored.current.has(one.id)),
    );
  };
  const endAll = async (silences: readonly OpsSilence[]) => {
    for (const silence of silences) await change('DELETE', `${path}/${encodeURIComponent(silence.id)}`);
  };
  const finish = (words: string) => {
    showToast(words);
    noteAlertChange();
    return onDone;
  };
  const save = () =>
    void run('save', async () => {
      const author = texts.author.trim();
      if (author !== same?.author) lastAuthor = author;
      const replaced = await readReplaced();
      const body = {
        matchers,
        ...(same === undefined ? {} : { start: same.start }),
        end: endOf(texts, same),
        comment: texts.comment.trim(),
        ...(author === '' ? {} : { author }),
      };
      stored.current.add(await change<string>('POST', path, body));
      // The new one is there before the old one ends: no notice is sent in between.
      await endAll(replaced);
      return finish(same === undefined ? 'The silence is set' : 'The silence is changed');
    });
  const end = () =>
    void run('end', async () => {
      await endAll(await readReplaced());
      return finish('The silence has ended');
    });
  return { running, failure, save, end };
}

/** Seconds since 1970; the server refuses an invalid time. A duration begins now, or when a planned silence begins. */
function endOf({ minutes, until }: SilenceTexts, same: OpsSilence | undefined): number {
  if (minutes !== 'until')
    return Math.ceil(Math.max(Date.now() / 1000, same?.start ?? 0) + Number(minutes) * 60);
  // The input has no seconds: an end that nobody changed keeps its own.
  if (same !== undefined && until === localTimeText(same.end)) return same.end;
  return secondsOfLocalTime(until) || 0;
}

function Existing({ silence: { state, start, end, author, comment } }: { readonly silence: OpsSilence }) {
  const isPlanned = state === 'pending';
  return (
    <Notice
      kind="info"
      title={isPlanned ? 'This silence is planned.' : 'These notices are silenced already.'}
    >
      <p>
        {isPlanned && (
          <>
            From <Seconds at={start} />{' '}
          </>
        )}
        {isPlanned ? 'until' : 'Until'} <Seconds at={end} />
        {author === '' ? '' : `, by ${author}`}
        {comment === '' ? '' : `: ${comment}`}. Saving replaces it.
      </p>
    </Notice>
  );
}

function MatcherFields(props: {
  readonly cluster: string;
  readonly matchers: SilenceMatchers;
  readonly facts: SilenceFacts | undefined;
  readonly onChange: (matchers: SilenceMatchers) => void;
}) {
  const { matchers, facts, onChange } = props;
  const set = (name: keyof SilenceMatchers, text: string) => {
    const { [name]: _, ...others } = matchers;
    onChange(text === '' ? others : { ...others, [name]: text });
  };
  const nodes = facts?.nodes ?? [];
  const withGiven = (known: readonly string[], given: string | undefined) =>
    [...new Set([...known, ...(given === undefined ? [] : [given])])].filter((text) => text !== '');
  const select = (name: 'node' | 'dc', label: string, any: string, known: readonly string[]) => (
    <SelectField
      label={label}
      value={matchers[name] ?? ''}
      choices={[{ value: '', label: any }, ...withGiven(known, matchers[name])]}
      onChange={(text) => set(name, text)}
    />
  );
  const rules = (facts?.rules ?? []).map((rule) => ({ value: rule.id, label: ruleText(rule) }));
  const { rule } = matchers;
  const isRuleKnown = rule === undefined || rules.some(({ value }) => value === rule);
  const tables = (facts?.alerts ?? []).flatMap(({ table }) => table ?? []);
  return (
    <>
      <SelectField
        label="Rule"
        isWide
        value={rule ?? ''}
        choices={[{ value: '', label: 'any rule' }, ...rules, ...(isRuleKnown ? [] : [rule])]}
        onChange={(text) => set('rule', text)}
      />
      <div class="form-row">
        {select(
          'node',
          'Node',
          'any node',
          nodes.map(({ node_ip: ip }) => ip),
        )}
        {select(
          'dc',
          'Data center',
          'any data center',
          nodes.flatMap(({ dc }) => dc ?? []),
        )}
      </div>
      <TextField
        label="Table (keyspace.table; empty: any)"
        value={matchers.table ?? ''}
        suggestions={[...new Set(tables)]}
        onChange={(text) => set('table', text.trim())}
      />
    </>
  );
}

function TextFields(props: {
  readonly texts: SilenceTexts;
  readonly onChange: (changed: Partial<SilenceTexts>) => void;
}) {
  const { texts, onChange } = props;
  const user = serverFacts.value?.user ?? '';
  return (
    <>
      <div class="form-row">
        <SelectField
          label="For"
          value={texts.minutes}
          choices={durations}
          onChange={(minutes) => onChange({ minutes })}
        />
        {texts.minutes === 'until' && (
          <TextField
            label="Until"
            type="datetime-local"
            value={texts.until}
            isRequired
            onChange={(until) => onChange({ until })}
          />
        )}
      </div>
      <TextField
        label="Comment"
        value={texts.comment}
        placeholder="the reason"
        onChange={(comment) => onChange({ comment })}
      />
      {user === '' ? (
        <TextField
          label="Author"
          value={texts.author}
          placeholder="your name"
          onChange={(author) => onChange({ author })}
        />
      ) : (
        <p class="muted">It is set by {user}.</p>
      )}
    </>
  );
}

/** What the silence would hold of what fires now. */
function Held(props: {
  readonly matchers: SilenceMatchers;
  readonly alerts: readonly OpsAlert[] | undefined;
}) {
  const { matchers, alerts } = props;
  if (alerts === undefined) return null;
  if (Object.keys(matchers).length === 0)
    return <p class="muted">Choose at least a rule, a node, a data center or a table.</p>;
  const count = matchedAlerts(matchers, alerts).length;
  return (
    <p class="muted">
      {count === 0
        ? 'No alert that fires now is held by it.'
        : `It holds the notices of ${counted(count, 'alert')} that ${count === 1 ? 'fires' : 'fire'} now.`}{' '}
      Alerts stay in the list; those that still fire at its end are sent then.
    </p>
  );
}
