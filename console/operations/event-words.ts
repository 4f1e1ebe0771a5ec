// The words for the codes of events.

/** The levels, lowest first; a level's number is its place. */
export const levels: readonly string[] = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'CRITICAL', 'ALERT'];

/** What the codes mean (`docs/operations.md`, Events). */
export const actionNames: ReadonlyMap<number, string> = new Map([
  [0, 'compaction'],
  [1, 'cleanup'],
  [2, 'repair'],
  [3, 'flush'],
  [13, 'node down'],
  [14, 'node up'],
  [15, 'node left'],
  [16, 'node joined'],
  [17, 'node moved'],
  [18, 'service started'],
  [19, 'service stopped'],
  [1000, 'alert fired'],
  [1001, 'alert cleared'],
  [1002, 'alert acknowledged'],
  [1010, 'rule created'],
  [1011, 'rule changed'],
  [1012, 'rule deleted'],
  [1020, 'notifications on'],
  [1021, 'notifications off'],
  [1022, 'silence set'],
  [1023, 'silence ended'],
  [1030, 'cluster added'],
  [1031, 'cluster changed'],
  [1032, 'cluster removed'],
  [1033, 'channel changed'],
  [1040, 'schema changed'],
  [1041, 'native query'],
  [1042, 'key store changed'],
  [1050, 'clock set'],
  [1060, 'login'],
  [1061, 'login refused'],
  [1062, 'logout'],
]);

/** The meaning of a code. */
export function actionText(code: number): string {
  return actionNames.get(code) ?? `code ${code}`;
}
