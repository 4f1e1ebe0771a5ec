// Reads the Prometheus exporters of the nodes of a Cassandra cluster, each independently of the others and of other
// readings, so that a slow or broken exporter delays nothing.
import { ExpositionError, parseExposition } from '../../../foundation/exposition/parse-exposition.js';
import { type OutgoingReply, SendFailure, type SendRequest } from '../../../foundation/http/send-request.js';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import type { ValueReading } from '../cluster.js';
import { exporterRecipes } from './exporter-recipes.js';
import { ExporterReader, namesOf } from './exporter-values.js';

/** What the watch needs from outside. */
export interface ExporterWatchParts {
  /** `{host}` is replaced by the node's address. */
  readonly url: string;
  readonly sendRequest: SendRequest;
  readonly clock: Clock;
  /**
   * Called when the exporter of a node begins to fail, or fails in another way; `error` is present if the failure is
   * unexpected.
   */
  onProblem(address: string, problem: string, error?: unknown): void;
}

/** A node whose exporter may be read. */
export interface ExporterNode {
  readonly address: string;
  /** Changes when the node restarts. */
  readonly generation: number;
}

/** An exporter without a filter takes seconds and sends megabytes. */
const timeoutMs = 10_000;
const maxTextBytes = 32 * 1024 * 1024;
const concurrentRequests = 4;
/**
 * After a reply, the exporter is not read for this number of times the duration of the request, at most 40 s, to limit
 * the load on the node.
 */
const restFactor = 4;

interface Exporter {
  readonly reader: ExporterReader;
  nextMs: number;
  isBusy: boolean;
  /** Since the last call of `read`. */
  fresh: readonly ValueReading[];
  keys: ReadonlySet<string>;
  problem: string | undefined;
}

const wantedNames = namesOf(exporterRecipes);

/** The exporters of one cluster. */
export class ExporterWatch {
  readonly #parts: ExporterWatchParts;
  readonly #exporters = new Map<string, Exporter>();
  readonly #waiting = new Map<string, ExporterNode>();
  readonly #closing = new AbortController();
  readonly #requests = new Set<Promise<void>>();
  #isAmbiguous = false;

  constructor(parts: ExporterWatchParts) {
    this.#parts = parts;
  }

  /**
   * The readings since the last call; also starts to read the exporters that are due. `nodes` are those that answer.
   */
  read(nodes: readonly ExporterNode[]): readonly ValueReading[] {
    const addresses = new Set(nodes.map(({ address }) => address));
    for (const address of this.#exporters.keys())
      if (!addresses.has(address)) this.#exporters.delete(address);
    const readings: ValueReading[] = [];
    const now = this.#parts.clock.monotonicMs();
    this.#isAmbiguous = nodes.length > 1 && !this.#parts.url.includes('{host}');
    if (this.#isAmbiguous) return [];
    for (const node of nodes) {
      const exporter = this.#exporterOf(node.address);
      for (const reading of exporter.fresh) readings.push(reading); // too many for the arguments of one call
      exporter.fresh = [];
      if (exporter.isBusy || now < exporter.nextMs) continue;
      exporter.isBusy = true;
      this.#waiting.set(node.address, node);
    }
    this.#askNext();
    return readings;
  }

  /** Whether the last reply of an exporter had a key. */
  gives(key: string): boolean {
    return [...this.#exporters.values()].some(({ keys }) => keys.has(key));
  }

  /** Why a key that exporters could give is not available. */
  whyNot(key: string): string | undefined {
    if (!exporterRecipes.has(key) || this.gives(key)) return undefined;
    if (this.#isAmbiguous) return 'the URL of the exporters has no {host}: the nodes cannot be distinguished';
    const exporters = [...this.#exporters];
    const [failed] = exporters.filter(([, { problem }]) => problem !== undefined);
    if (failed !== undefined) return `the exporter of ${failed[0]} ${failed[1].problem}`;
    const hasAnswered = exporters.some(([, { nextMs }]) => nextMs > Number.NEGATIVE_INFINITY);
    return hasAnswered ? 'the exporters do not give it' : 'no exporter has answered yet';
  }

  /** Aborts the requests under way. */
  async close(): Promise<void> {
    this.#waiting.clear();
    this.#closing.abort();
    await Promise.all(this.#requests);
  }

  #exporterOf(address: string): Exporter {
    let exporter = this.#exporters.get(address);
    if (exporter === undefined) {
      const reader = new ExporterReader(exporterRecipes);
      const nextMs = Number.NEGATIVE_INFINITY;
      exporter = { reader, nextMs, isBusy: false, fresh: [], keys: new Set(), problem: undefined };
      this.#exporters.set(address, exporter);
    }
    return exporter;
  }

  #askNext(): void {
    for (const [address, node] of this.#waiting) {
      if (this.#requests.size >= concurrentRequests) return;
      this.#waiting.delete(address);
      const request = this.#ask(node, this.#exporterOf(address)).finally(() => {
        this.#requests.delete(request);
        this.#askNext();
      });
      this.#requests.add(request);
    }
  }

  /** Never rejects: the failure of an exporter is reported as its problem. */
  async #ask(node: ExporterNode, exporter: Exporter): Promise<void> {
    const { clock, sendRequest } = this.#parts;
    const startMs = clock.monotonicMs();
    try {
      const text = textOf(await sendRequest(this.#requestTo(node.address)));
      const samples = parseExposition(text, (name) => wantedNames.has(name.toLowerCase()));
      const { readings, keys } = exporter.reader.read(samples, node, clock.monotonicMs());
      exporter.fresh = readings;
      exporter.keys = keys;
      exporter.problem = undefined;
    } catch (error) {
      exporter.keys = new Set();
      this.#note(node, exporter, error);
    } finally {
      const endMs = clock.monotonicMs();
      exporter.nextMs = endMs + restFactor * (endMs - startMs);
      exporter.isBusy = false;
    }
  }

  /** Reports a problem if it differs from the last one. */
  #note({ address }: ExporterNode, exporter: Exporter, error: unknown): void {
    const foreseen = problemOf(error);
    const problem = foreseen ?? `cannot be read: ${error instanceof Error ? error.name : typeof error}`;
    const isNew = problem !== exporter.problem;
    exporter.problem = problem;
    if (!isNew || this.#closing.signal.aborted) return;
    if (foreseen === undefined) this.#parts.onProblem(address, problem, error);
    else this.#parts.onProblem(address, problem);
  }

  #requestTo(address: string): Parameters<SendRequest>[0] {
    const host = address.includes(':') ? `[${address}]` : address;
    return {
      method: 'GET',
      url: this.#parts.url.replaceAll('{host}', host),
      headers: { accept: 'text/plain;version=0.0.4;q=1,*/*;q=0.1' },
      timeoutMs,
      maxBodyBytes: maxTextBytes,
      signal: this.#closing.signal,
    };
  }
}

/** A reply that is not an exporter's. Its text is not shown. */
class WrongReply extends Error {}

function textOf({ status, header, body }: OutgoingReply): string {
  if (status !== 200) throw new WrongReply(`answered ${status}`);
  const type = header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== undefined && type !== 'text/plain')
    throw new WrongReply('answered with another content type than text/plain');
  return body.toString('utf8');
}

/** A message about the problem; undefined for an unexpected error, whose message may quote the reply. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof SendFailure) return `does not answer: ${error.message}`;
  if (error instanceof ExpositionError)
    return `answered with a text that is not Prometheus' format: ${error.message}`;
  return error instanceof WrongReply ? error.message : undefined;
}
