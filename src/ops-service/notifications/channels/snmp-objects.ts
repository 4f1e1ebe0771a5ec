// A notice as SNMP objects; docs/COLONNADE-MIB.txt describes them for network management stations.
import { type Notice, noticeJson, oneLine, ruleNameOf } from '../notice.js';

/** An object with its value. */
export interface NoticeObject {
  readonly oid: string;
  readonly value: string | number;
}

/** The object identifier of the MIB. */
export const enterprise = '1.3.6.1.4.1.32473.8888';

/** The number of the notification of a notice: firing, resolved, event. */
export function notificationNumber({ status }: Notice): number {
  return { firing: 1, resolved: 2, event: 3 }[status];
}

const maxTextLength = 1000;

/**
 * The scalars in the order of the MIB, then a row for each annotation. Missing values are empty texts; `success` is 1
 * for true, 2 for false, 3 if missing.
 */
export function noticeVarbinds(notice: Notice): readonly NoticeObject[] {
  const json = noticeJson(notice);
  const { alert } = notice;
  const values: readonly (string | number | null | undefined)[] = [
    json.level,
    json.level_str,
    json.message,
    json.action,
    json.cluster,
    json.event_source,
    json.source_node,
    json.target_node,
    json.time,
    json.api_source_ip,
    json.user,
    json.success === null ? 3 : json.success ? 1 : 2,
    json.status,
    json.reason,
    json.notice_id,
    alert?.id,
    alert?.alert_rule_id,
    alert?.node,
    alert?.dc,
    alert?.table,
    alert?.device,
    alert === null ? undefined : String(alert.current_value),
    ruleNameOf(notice),
    json.url,
  ];
  const scalars = values.map((value, at) => ({
    oid: `${enterprise}.1.${at + 1}.0`,
    value: typeof value === 'number' ? value : oneLine(value ?? '', maxTextLength),
  }));
  return [...scalars, ...Object.entries(json.annotations).flatMap(annotationRow)];
}

/** The name and the value, complete, in UTF-8: columns 2 and 3 of `colonnadeAnnotationTable`. */
function annotationRow(texts: readonly [name: string, value: string], at: number): readonly NoticeObject[] {
  return texts.map((value, column) => ({ oid: `${enterprise}.3.1.${column + 2}.${at + 1}`, value }));
}
