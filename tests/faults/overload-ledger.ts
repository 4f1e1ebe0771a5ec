// Writes beside an overload, each noted when it is acknowledged, so that it can be asked for afterwards.
import { DataClient } from './data-client.js';
import type { LedgerCheck } from './overload-messages.js';
import { keyspace } from './overload-tables.js';

const table = `${keyspace}/ledger`;
const mostUnderWay = 16;
const shownLost = 10;
/** One write in so many inserts a row; the others change one. */
const insertOneIn = 3;

interface KnownRow {
  acknowledged: number;
  /** Versions that were sent since and not acknowledged: they may be there or not. */
  unsure: number[];
  isUnderWay: boolean;
}

/** The writes of one observer. */
export class WriteLedger {
  readonly #rows = new Map<number, KnownRow>();
  readonly #underWay = new Set<Promise<unknown>>();
  #writes = 0;

  /** Writes a row or changes one; gives what is wrong when it is not acknowledged. */
  async write(client: DataClient): Promise<string | undefined> {
    if (this.#underWay.size >= mostUnderWay) return undefined;
    this.#writes += 1;
    const inserts = this.#writes % insertOneIn === 1;
    const id = inserts ? this.#rows.size : Math.floor(Math.random() * this.#rows.size);
    const row = this.#rows.get(id) ?? { acknowledged: 0, unsure: [], isUnderWay: false };
    if (row.isUnderWay) return undefined;
    this.#rows.set(id, row);
    const version = Math.max(row.acknowledged, ...row.unsure) + 1;
    const command = inserts
      ? { insertOne: { document: { id, version } } }
      : { updateOne: { filter: { id }, update: { $set: { version } } } };
    row.isUnderWay = true;
    row.unsure.push(version);
    const reply = client.send(table, command);
    this.#underWay.add(reply);
    try {
      const { httpStatus, text, body } = await reply;
      if (httpStatus !== 200 || body.errors !== undefined) return `${httpStatus} ${text.slice(0, 300)}`;
      row.acknowledged = version;
      row.unsure = [];
      return undefined;
    } finally {
      row.isUnderWay = false;
      this.#underWay.delete(reply);
    }
  }

  /**
   * What a server has of it. Writes under way are awaited before: one that is acknowledged while the rows are read
   * may be missing in them.
   */
  async check(url: string): Promise<LedgerCheck> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    const client = new DataClient(url);
    try {
      const rows = await client.readAll(table);
      const found = new Map(rows.map(({ id, version }) => [Number(id), Number(version)]));
      const lost: string[] = [];
      let acknowledged = 0;
      for (const [id, known] of this.#rows) {
        acknowledged += known.acknowledged > 0 ? 1 : 0;
        const version = found.get(id) ?? 0;
        if (version === known.acknowledged || known.unsure.includes(version)) continue;
        lost.push(`row ${id} of the ledger has version ${version} instead of ${known.acknowledged}`);
      }
      return { acknowledged, lost: lost.slice(0, shownLost) };
    } finally {
      client.close();
    }
  }
}
