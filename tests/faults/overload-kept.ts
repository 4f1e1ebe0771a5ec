// Checks afterwards that the acknowledged writes of the attackers are stored.
import { DataClient } from './data-client.js';
import type { AttackerReport, PushedItems } from './overload-messages.js';
import { keyspace } from './overload-tables.js';

/** Notes of each writer that are asked for beside its last one: there may be millions. */
const notesEach = 20;
/** Rows of lists that are read: each is as large as a row can be. */
const mostLists = 12;
const shownLost = 10;

/** What of the acknowledged writes of attackers a server does not have. */
export async function findLostWrites(
  url: string,
  reports: readonly AttackerReport[],
): Promise<readonly string[]> {
  const client = new DataClient(url, 4);
  const lost: string[] = [];
  try {
    for (const report of reports) {
      for (const [writer, count] of Object.entries(report.written))
        lost.push(...(await lostNotes(client, writer, count)));
      for (const [row, items] of Object.entries(report.pushed).slice(0, mostLists))
        lost.push(...(await lostItems(client, row, items)));
    }
  } finally {
    client.close();
  }
  return lost.slice(0, shownLost);
}

async function lostNotes(client: DataClient, writer: string, count: number): Promise<readonly string[]> {
  const step = Math.max(1, Math.floor(count / notesEach));
  const numbers = new Set([count - 1]);
  for (let number = 0; number < count; number += step) numbers.add(number);
  const asked = [...numbers].map(async (number) => {
    const command = { findOne: { filter: { writer, number } } };
    const { data } = await client.mustSend(`${keyspace}/notes`, command);
    return data?.document?.['content'] === `note ${number} of ${writer}`
      ? []
      : [`note ${number} of ${writer}`];
  });
  return (await Promise.all(asked)).flat();
}

async function lostItems(client: DataClient, row: string, items: PushedItems): Promise<readonly string[]> {
  const { httpStatus, text, body } = await client.send(`${keyspace}/pushed`, {
    findOne: { filter: { id: row } },
  });
  if (httpStatus !== 200 || body.errors !== undefined)
    return [`the list ${row}: ${httpStatus} ${text.slice(0, 200)}`];
  const found = body.data?.document?.['items'];
  const length = Array.isArray(found) ? found.length : 0;
  const { acknowledged, unsure } = items;
  if (length >= acknowledged && length <= acknowledged + unsure) return [];
  return [`the list ${row} has ${length} items instead of ${acknowledged}, of ${unsure} it is not known`];
}
