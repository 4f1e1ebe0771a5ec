// Why a rule was refused: each problem once, with the labels of the form.
import { RequestFailure } from '../net/send-request.js';
import { FailureNotice, Notice } from '../parts/notice.js';

const labels: Readonly<Record<string, string>> = {
  type: 'Fires on',
  metric: 'Metric',
  threshold: 'Threshold',
  resolve_threshold: 'Clears past',
  percentile: 'Percentile',
  spread: 'Spread',
  duration: 'For minutes',
  notify_interval: 'Repeat',
  level: 'Level',
  no_data: 'Missing values',
  cf: 'Table',
  item: 'Device',
  dc: 'Data center',
  window: 'Window',
  annotations: 'Annotations',
};

/** `Threshold must be a number`, for `threshold: must be a number`. */
export function problemText(detail: string): string {
  const [, path = '', message = detail] = /^([a-z_]+(?:\.[^:]*)?): (.*)$/s.exec(detail) ?? [];
  const [name = '', ...inner] = path.split('.');
  const label = [labels[name] ?? name, ...inner].join(' ');
  return `${label === '' ? '' : `${label} `}${message}`;
}

/** The problems of a refused rule, or why else it was not saved. */
export function RuleFailure({ failure }: { readonly failure: unknown }) {
  const details = failure instanceof RequestFailure && failure.status !== 401 ? failure.details : [];
  const texts = [...new Set(details.map(problemText))];
  const [only] = texts;
  if (only === undefined) return <FailureNotice failure={failure} />;
  if (texts.length === 1) return <Notice kind="error" title={`${only}.`} />;
  return (
    <Notice kind="error" title={`${texts.length} values cannot be used.`}>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}.</li>
        ))}
      </ul>
    </Notice>
  );
}
