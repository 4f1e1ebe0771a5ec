// Clients that send commands through several servers until they are stopped, and count what the replies say.
import { setTimeout as sleep } from 'node:timers/promises';
import { DataClient, type DataReply } from '../faults/data-client.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';

/** How a load runs. */
export interface LoadOptions {
  readonly seed: number;
  /** The addresses of the servers. */
  readonly urls: readonly string[];
  readonly clientsPerServer: number;
  /** A client rests between two calls for less than this. */
  readonly mostRestMs: number;
}

/** A write that fails so may have been carried out. */
const unknownOutcome = 'TIMEOUT_WRITING_DATA';
const withoutEffect = [
  'FAILED_TO_CONNECT_TO_DATABASE',
  'UNAVAILABLE_DATABASE',
  'TIMEOUT_READING_DATA',
  'FAILED_CONCURRENT_OPERATIONS',
];
/** More of them are counted, and not kept. */
const mostUnexpected = 100;

/** How many calls ended in which way. */
export interface CallCounts {
  readonly acknowledged: number;
  /** Writes that may have been carried out. */
  readonly unknown: number;
  /** Calls that had no effect, for a reason that the documents name. */
  readonly refused: number;
  /** Calls that the documents do not explain. */
  readonly failed: number;
}

/** A load from its start until it is stopped; a class that extends it says what a client does. */
export abstract class ClientLoad {
  /** Error codes of the contract with their counts. */
  readonly failures = new Map<string, number>();
  /** The first failures that no reply of the contract explains. */
  readonly unexpected: string[] = [];
  /** Calls that were answered without an error, in all and since the last failure. */
  answered = 0;
  inARow = 0;
  protected readonly options: LoadOptions;
  protected readonly clients: readonly DataClient[];
  #isStopped = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: LoadOptions) {
    this.options = options;
    this.clients = options.urls.map((url) => new DataClient(url, options.clientsPerServer));
  }

  start(): void {
    const { clientsPerServer, seed } = this.options;
    this.#running = Promise.all(
      this.clients.flatMap((client, server) =>
        Array.from({ length: clientsPerServer }, (_, at) =>
          this.#callOn(client, `client ${at} of server ${server}`, seededRandom(seed + 1000 * server + at)),
        ),
      ),
    );
  }

  /** Ends the load; every call under way is answered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  close(): void {
    for (const client of this.clients) client.close();
  }

  counts(): CallCounts {
    const sum = (codes: readonly string[]) =>
      codes.reduce((total, code) => total + (this.failures.get(code) ?? 0), 0);
    const [unknown, refused] = [sum([unknownOutcome]), sum(withoutEffect)];
    const failed = sum([...this.failures.keys()]) - unknown - refused;
    return { acknowledged: this.answered, unknown, refused, failed };
  }

  /** What one client does again and again; it may send several commands. */
  protected abstract callOnce(client: DataClient, caller: string, random: SeededRandom): Promise<void>;

  /**
   * The reply; 'unknown' for a write that may have been carried out, undefined for a call without effect. `refusals`:
   * codes that answer the command, which are then in the reply.
   */
  protected async send(
    client: DataClient,
    path: string,
    command: object,
    refusals: readonly string[] = [],
  ): Promise<DataReply | 'unknown' | undefined> {
    try {
      const reply = await client.send(path, command);
      const code = reply.body.errors?.[0]?.errorCode;
      if (reply.httpStatus === 200 && (code === undefined || refusals.includes(code))) {
        this.answered += 1;
        this.inARow += 1;
        return reply;
      }
      return this.#noteFailure(command, code ?? `HTTP ${reply.httpStatus}`, reply.text);
    } catch (error) {
      return this.#noteFailure(command, 'no reply', String(error));
    }
  }

  async #callOn(client: DataClient, caller: string, random: SeededRandom): Promise<void> {
    while (!this.#isStopped) {
      await this.callOnce(client, caller, random);
      await sleep(random.below(this.options.mostRestMs));
    }
  }

  #noteFailure(command: object, code: string, text: string): 'unknown' | undefined {
    this.inARow = 0;
    this.failures.set(code, (this.failures.get(code) ?? 0) + 1);
    if (withoutEffect.includes(code)) return undefined;
    if (code !== unknownOutcome && this.unexpected.length < mostUnexpected)
      this.unexpected.push(`${JSON.stringify(command).slice(0, 500)}: ${code} ${text.slice(0, 500)}`);
    return 'unknown';
  }
}
