// Why a rule was refused: each problem once, with the labels of the form.
import { RequestFailure } from '../net/send-request.js';
import { FailureNotice, Notice } from '../parts/notice.js';
import { kinds } from './kinds.js';

/** The label of a field in the form; the name if it has none. */
function labelOf(name: string): string {
  const fields = kinds().rules.flatMap((kind) => kind.fields);
  return fields.find((field) => field.name === name)?.label ?? name;
}

/** `Threshold must be a number`, for `threshold: must be a number`. */
export function problemText(detail: string, labelOf: (name: string) => string): string {
  const [, path = '', message = detail] = /^([a-z_]+(?:\.[^:]*)?): (.*)$/s.exec(detail) ?? [];
  const [name = '', ...inner] = path.split('.');
  const label = [name === '' ? '' : labelOf(name), ...inner].join(' ');
  return `${label === '' ? '' : `${label} `}${message}`;
}

/** The problems of a refused rule, or why else it was not saved. */
export function RuleFailure({ failure }: { readonly failure: unknown }) {
  const details = failure instanceof RequestFailure && failure.status !== 401 ? failure.details : [];
  const texts = [...new Set(details.map((detail) => problemText(detail, labelOf)))];
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
