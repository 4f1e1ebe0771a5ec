// A client of the table data service for fault tests: several connections, replies as they come, losses as errors.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';

/** An error of the envelope. */
export interface ErrorBody {
  readonly family: string;
  readonly scope: string;
  readonly errorCode: string;
  readonly message: string;
}

/** A row as JSON, by the names of its columns. */
export type RowBody = Readonly<Record<string, unknown>>;

/** The members of an envelope that the tests look at. */
export interface ReplyBody {
  readonly data?: {
    readonly documents?: readonly RowBody[];
    readonly document?: RowBody | null;
    readonly nextPageState?: string | null;
  };
  readonly status?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly ErrorBody[];
}

/** What came back for a command. */
export interface DataReply {
  readonly httpStatus: number;
  readonly text: string;
  /** The envelope; empty if the body is not JSON. */
  readonly body: ReplyBody;
}

/** Posts commands below `/v1`. `send` rejects when the connection is lost before the whole reply is there. */
export class DataClient {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(url: string, connections = 8) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** `path` such as `/default_keyspace/rows`; text and bytes are sent as they are. */
  send(path: string, command: unknown): Promise<DataReply> {
    const isRaw = typeof command === 'string' || Buffer.isBuffer(command);
    const body = isRaw ? command : JSON.stringify(command);
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sent = request(
        `${this.#url}/v1${path}`,
        { method: 'POST', agent: this.#agent, headers },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('close', () => {
            if (!response.complete) reject(new Error('the connection was lost within the reply'));
          });
          response.on('end', () =>
            resolve(toReply(response.statusCode ?? 0, Buffer.concat(parts).toString())),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Sends a command, and fails on an error in the reply. */
  async mustSend(path: string, command: unknown): Promise<ReplyBody> {
    const { httpStatus, text, body } = await this.send(path, command);
    assert.ok(httpStatus === 200 && body.errors === undefined, `${httpStatus} ${text.slice(0, 500)}`);
    return body;
  }

  /** All rows that match, through all pages. */
  async readAll(path: string, filter: unknown = {}): Promise<readonly RowBody[]> {
    const rows: RowBody[] = [];
    let pageState: string | null = null;
    do {
      const body = await this.mustSend(path, { find: { filter, options: { pageState } } });
      rows.push(...(body.data?.documents ?? []));
      pageState = body.data?.nextPageState ?? null;
    } while (pageState !== null);
    return rows;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Gives the work a client of a server, and closes it when the work has ended or failed. */
export async function withDataClient<Result>(
  { url }: { readonly url: string },
  work: (client: DataClient) => Promise<Result>,
): Promise<Result> {
  const client = new DataClient(url);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

function toReply(httpStatus: number, text: string): DataReply {
  try {
    return { httpStatus, text, body: JSON.parse(text) as ReplyBody }; // what the envelope looks like
  } catch {
    return { httpStatus, text, body: {} };
  }
}
