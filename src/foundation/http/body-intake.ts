// Receives a body that is coded, or not declared as small, and reserves the memory that it takes before it arrives.
import type { IncomingMessage } from 'node:http';
import type { Lease, MemoryShare } from '../limits/memory-share.js';
import { uncountedBytes } from './incoming-request.js';
import type { Inflow, InflowLimit } from './inflow-limit.js';
import type { Transfer, TransferWatch } from './transfer-watch.js';

/** The limits of bodies. */
export interface BodyLimits {
  /** For one body. */
  readonly maxBytes: number;
  /** For all bodies together, from their first byte until they are answered. */
  readonly share: MemoryShare;
  readonly watch: TransferWatch;
  readonly inflow: InflowLimit;
  /** How long a body waits for memory. */
  readonly waitMs: number;
}

/** Notified of what happens to a body: exactly one of the outcomes, or none if the client disconnects. */
export interface BodyListener {
  /** There is memory for it: a client that waits for `100 Continue` may send it. Called once, first. */
  onRoom(): void;
  /** The body is complete. The lease is undefined for a body so small that it is not counted. */
  onBody(body: Buffer, lease: Lease | undefined): void;
  /** It exceeds `maxBytes`; the rest is discarded. */
  onTooLarge(): void;
  /** There was no memory for it in time; the rest is discarded. */
  onNoRoom(): void;
  /** The client sends too slowly while others wait for the memory. */
  onStalled(): void;
}

/** Bodies up to this size do not wait behind larger ones: they may use a part of the share beyond its total. */
const promptBytes = 256 * 1024;
const promptPart = 1 / 4;
/**
 * Small chunks are joined in groups of this size, so that a body sent byte by byte does not take an object per byte.
 */
const groupSize = 256;

export function receiveBody(message: IncomingMessage, limits: BodyLimits, listener: BodyListener): void {
  const declared = message.headers['content-length'];
  new BodyIntake(message, limits, listener).start(declared === undefined ? undefined : Number(declared));
}

class BodyIntake implements Transfer, Inflow {
  readonly #message: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #listener: BodyListener;
  readonly #collected: Collected;
  readonly #leases: Lease[] = [];
  /** Bytes of memory that are reserved. */
  #room = uncountedBytes;
  #isOver = false;
  #waitsForRoom = false;
  /** Whether `InflowLimit` has paused it. */
  #isHeld = false;
  #stopWaiting = () => {};
  movedBytes = 0;

  constructor(message: IncomingMessage, limits: BodyLimits, listener: BodyListener) {
    this.#message = message;
    this.#limits = limits;
    this.#listener = listener;
    this.#collected = new Collected();
  }

  /** `declaredBytes` is undefined for a body in chunks. */
  start(declaredBytes: number | undefined): void {
    // A small one is here only if it is coded.
    if (declaredBytes === undefined || declaredBytes <= uncountedBytes) this.#begin();
    else this.#makeRoom(declaredBytes, () => this.#begin(declaredBytes));
  }

  cutOff(): void {
    this.#end();
    this.#release();
    this.#listener.onStalled();
  }

  pause(): void {
    this.#isHeld = true;
    this.#message.pause();
  }

  resume(): void {
    this.#isHeld = false;
    if (!this.#waitsForRoom) this.#message.resume();
  }

  #begin(declaredBytes?: number): void {
    this.#listener.onRoom();
    if (declaredBytes !== undefined) this.#collected.expect(declaredBytes);
    this.#message.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#message.on('end', () => this.#finish());
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return;
    this.movedBytes += chunk.length;
    if (this.movedBytes > this.#limits.maxBytes) {
      this.#giveUp(() => this.#listener.onTooLarge());
      return;
    }
    this.#collected.add(chunk);
    if (this.movedBytes > uncountedBytes) this.#limits.inflow.count(this, chunk.length);
    if (this.movedBytes <= this.#room) return;
    // A body in chunks needs more memory than is reserved. If each reserved the maximum, a few would block the others.
    const bytes = Math.max(promptBytes, Math.min(this.#room * 2, this.#limits.maxBytes));
    this.#message.pause();
    this.#waitsForRoom = true;
    this.#makeRoom(bytes, () => {
      this.#waitsForRoom = false;
      if (!this.#isHeld) this.#message.resume();
    });
  }

  #finish(): void {
    if (this.#isOver) return;
    const body = this.#collected.join();
    this.#end();
    const lease = this.#leases.length === 0 ? undefined : this.#limits.share.takeAnyway(this.movedBytes);
    this.#release();
    this.#listener.onBody(body, lease);
  }

  /** Reserves more memory for a body of so many bytes, and continues when it is granted. */
  #makeRoom(bytes: number, onGranted: () => void): void {
    const { share, watch, waitMs } = this.#limits;
    const missing = this.#leases.length === 0 ? bytes : bytes - this.#room;
    watch.forget(this); // the client is not slow while the body waits here
    const accept = (lease: Lease) => {
      this.#leases.push(lease);
      this.#room = bytes;
      if (this.#leases.length === 1) this.#releaseWhenGone();
      this.#limits.watch.watch(this);
      onGranted();
    };
    if (bytes <= promptBytes) {
      const lease = share.tryTake(missing, share.totalBytes * promptPart);
      if (lease === undefined) this.#giveUp(() => this.#listener.onNoRoom());
      else accept(lease);
      return;
    }
    const timer = setTimeout(() => this.#giveUp(() => this.#listener.onNoRoom()), waitMs);
    const stop = share.takeWhenFree(missing, (lease) => {
      clearTimeout(timer);
      this.#stopWaiting = () => {};
      accept(lease);
    });
    // If memory was granted at once, there is no wait to stop.
    if (this.#room < bytes) {
      this.#stopWaiting = () => {
        clearTimeout(timer);
        stop();
      };
      this.#message.once('close', () => this.#stopWaiting());
    }
  }

  #releaseWhenGone(): void {
    this.#message.once('close', () => {
      if (this.#isOver) return;
      this.#end();
      this.#release();
    });
  }

  #giveUp(answer: () => void): void {
    this.#end();
    this.#release();
    answer();
  }

  #release(): void {
    for (const lease of this.#leases.splice(0)) lease.release();
  }

  #end(): void {
    this.#isOver = true;
    this.#stopWaiting();
    this.#limits.watch.forget(this);
    this.#collected.clear();
  }
}

/** The chunks of a body: in one block of memory if the size is known, so that it can be moved to another thread. */
class Collected {
  #whole: Buffer | undefined;
  #filled = 0;
  #only: Buffer | undefined;
  #group: Buffer[] = [];
  readonly #joined: Buffer[] = [];

  expect(bytes: number): void {
    this.#whole = Buffer.allocUnsafeSlow(bytes);
  }

  add(chunk: Buffer): void {
    if (this.#whole !== undefined) {
      chunk.copy(this.#whole, this.#filled);
      this.#filled += chunk.length;
      return;
    }
    if (this.#only === undefined && this.#group.length === 0 && this.#joined.length === 0) {
      this.#only = chunk; // nearly every small body is one chunk, which is passed on without a copy
      return;
    }
    if (this.#only !== undefined) this.#group.push(this.#only);
    this.#only = undefined;
    this.#group.push(chunk);
    if (this.#group.length < groupSize) return;
    this.#joined.push(Buffer.concat(this.#group));
    this.#group = [];
  }

  clear(): void {
    this.#whole = undefined;
    this.#only = undefined;
    this.#group = [];
    this.#joined.length = 0;
  }

  join(): Buffer {
    return this.#whole ?? this.#only ?? Buffer.concat([...this.#joined, ...this.#group]);
  }
}
