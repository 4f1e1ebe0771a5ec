// A link from an alert to its rule.
import { clusterQuery, hrefOf } from '../state/url-state.js';
import { type OpsRule, ruleText } from './rule-words.js';

/** The rule in words, as a link that opens it; its id where it is deleted. */
export function RuleLink(props: {
  readonly cluster: string;
  readonly id: string;
  readonly rules: readonly OpsRule[];
}) {
  const { cluster, id, rules } = props;
  const rule = rules.find((one) => one.id === id);
  if (rule === undefined)
    return (
      <span class="muted">
        rule <code>{id}</code>
      </span>
    );
  const query = { tab: 'rules', rule: id, ...clusterQuery(cluster) };
  return <a href={hrefOf(['alerts'], query)}>{ruleText(rule)}</a>;
}
