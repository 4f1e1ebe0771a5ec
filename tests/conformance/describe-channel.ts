// Declares the suite that every notification channel must pass, against a receiver that checks the published format.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createAddressPolicy } from '../../src/foundation/http/address-policy.js';
import { createResolveAddress } from '../../src/foundation/http/checked-lookup.js';
import { createOpenConnection } from '../../src/foundation/http/open-connection.js';
import { createSendRequest } from '../../src/foundation/http/send-request.js';
import { validated } from '../../src/ops-service/errors/validation.js';
import type {
  Channel,
  ChannelSettings,
  ChannelSurroundings,
  Delivery,
} from '../../src/ops-service/notifications/channel.js';
import { channelKinds } from '../../src/ops-service/notifications/channels/registry.js';
import type { Notice } from '../../src/ops-service/notifications/notice.js';
import { eventNotice, firingNotice, resolvedNotice } from './channel-notices.js';

/** What a receiver does with what it is sent; all but `accept` hold until the next call. */
export type ReceiverMood =
  | 'accept'
  /** Refuses in a way that passes. */
  | 'busy'
  /** Refuses permanently, in words that repeat what it was sent. */
  | 'refuse'
  /** Takes the connection and says nothing more. */
  | 'stall'
  /** Cuts the connection in the middle. */
  | 'cut'
  /** Answers what is not an answer. */
  | 'lie';

/** A message as the receiver understood it. */
export interface ReceivedMessage {
  /** What distinguishes two attempts of one message from two messages. */
  readonly id: string;
  readonly text: string;
}

/** A receiver that speaks the protocol for real. */
export interface ChannelReceiver {
  /** The settings of a channel that sends to it. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Texts that must not be shown anywhere. */
  readonly secrets: readonly string[];
  /** Messages that had the published format, and were taken. */
  readonly received: readonly ReceivedMessage[];
  /** What was wrong with messages that had not. */
  readonly faults: readonly string[];
  /** The settings of a channel that sends to this host instead. */
  settingsFor(host: string): Readonly<Record<string, unknown>>;
  mood: ReceiverMood;
  close(): Promise<void>;
}

/** A channel to be held against the suite. */
export interface ChannelCase {
  /** For the name of the suite. */
  readonly name: string;
  start(): Promise<ChannelReceiver>;
  /** Whether it takes notices of events. */
  readonly takesEvents: boolean;
  /** Checks what a notice looks like at the other end. */
  check(message: ReceivedMessage, notice: Notice): void;
  /** Moods that its protocol cannot show. */
  readonly without?: readonly ReceiverMood[];
  /** Its protocol cannot distinguish silence before a message from silence after it. */
  readonly cannotTellArrival?: boolean;
}

const timeoutMs = 30_000;
/** For receivers that say nothing. */
const shortTimeoutMs = 400;

/** Declares the suite. */
export function describeChannel(channelCase: ChannelCase): void {
  describe(`the channel ${channelCase.name}`, () => {
    let receiver: ChannelReceiver;
    before(async () => {
      receiver = await channelCase.start();
    });
    after(() => receiver.close());
    const trial = () => new Trial(receiver);
    declareDelivery(channelCase, trial);
    declareMoods(channelCase, trial);
    declareFailures(channelCase, trial);
  });
}

/** One case: what the receiver got since its beginning, and whether anything was shown that must not be. */
class Trial {
  readonly receiver: ChannelReceiver;
  readonly #seen: number;
  readonly #shown: string[] = [];

  constructor(receiver: ChannelReceiver) {
    this.receiver = receiver;
    this.#seen = receiver.received.length;
    receiver.mood = 'accept';
  }

  open(settings = this.receiver.settings, more: Partial<ChannelSurroundings> = {}): Channel {
    const policy = createAddressPolicy({ deny: [], allow: [] });
    const surroundings = {
      sendRequest: createSendRequest(policy),
      connect: createOpenConnection(policy),
      resolve: createResolveAddress(policy),
      timeoutMs,
      nowMs: Date.now,
      ...more,
    };
    const kind = channelKinds.find(({ type }) => type === settings['type']);
    assert.ok(kind !== undefined);
    return kind.open(validated(kind.schema, settings) as ChannelSettings, surroundings);
  }

  async deliver(notices: readonly Notice[], channel = this.open(), signal = new AbortController().signal) {
    const delivery = await channel.deliver(notices, notices[0]?.id ?? '', signal);
    this.#shown.push(JSON.stringify(delivery));
    for (const secret of this.receiver.secrets)
      assert.ok(!this.#shown.join().includes(secret), this.#shown.join());
    assert.deepEqual(this.receiver.faults, []);
    return delivery;
  }

  get received(): readonly ReceivedMessage[] {
    return this.receiver.received.slice(this.#seen);
  }
}

function declareDelivery(channelCase: ChannelCase, trial: () => Trial): void {
  const notices = [firingNotice, resolvedNotice, ...(channelCase.takesEvents ? [eventNotice] : [])];
  for (const notice of notices) {
    it(`delivers a notice with the status ${notice.status} in its format`, async () => {
      const one = trial();
      assert.equal((await one.deliver([notice])).kind, 'sent');
      const [message] = one.received;
      assert.ok(message !== undefined && one.received.length === 1);
      channelCase.check(message, notice);
    });
  }

  it('delivers texts of every kind as they are', async () => {
    const one = trial();
    const message = 'größer – 三 🦉 <b>&amp; "quoted" \\ \u0000 \r\nBcc: someone@example.org';
    const notice: Notice = { ...firingNotice, event: { ...firingNotice.event, message } };
    assert.equal((await one.deliver([notice])).kind, 'sent');
    assert.match(one.received[0]?.text ?? '', /größer – 三 🦉/);
  });
}

function declareMoods(channelCase: ChannelCase, trial: () => Trial): void {
  const problems: readonly (readonly [ReceiverMood, Delivery['kind'], mayHaveArrived?: boolean])[] = [
    ['busy', 'retry', false],
    ['refuse', 'failed'],
    ['stall', 'retry'],
    ['cut', 'retry'],
    ['lie', 'retry'],
  ];
  for (const [mood, kind, mayHaveArrived] of problems) {
    if (channelCase.without?.includes(mood) === true) continue;
    const sentence = kind === 'failed' ? 'fails' : 'is to be tried again';
    it(`${sentence} at a receiver in the mood "${mood}", and reaches it when it is back`, async () => {
      const one = trial();
      one.receiver.mood = mood;
      const impatient = mood === 'stall' ? { timeoutMs: shortTimeoutMs } : {};
      const delivery = await one.deliver([firingNotice], one.open(undefined, impatient));
      assert.equal(delivery.kind, kind, JSON.stringify(delivery));
      if (delivery.kind === 'retry' && mayHaveArrived !== undefined) {
        assert.equal(delivery.mayHaveArrived, mayHaveArrived);
      }
      if (delivery.kind !== 'sent') assert.ok(delivery.reason.length > 3 && delivery.reason.length < 300);
      assert.equal(one.received.length, 0);
      one.receiver.mood = 'accept';
      assert.equal((await one.deliver([firingNotice])).kind, 'sent');
      assert.equal(one.received.length, 1);
    });
  }
}

function declareFailures(channelCase: ChannelCase, trial: () => Trial): void {
  it('gives the same message under the same id', async () => {
    const one = trial();
    await one.deliver([firingNotice]);
    await one.deliver([firingNotice]);
    assert.equal(one.received.length, 2);
    assert.equal(one.received[0]?.id, one.received[1]?.id);
  });

  it('is to be tried again where nobody listens', async () => {
    const gone = await channelCase.start();
    await gone.close();
    const one = trial();
    const delivery = await one.deliver(
      [firingNotice],
      one.open(gone.settings, channelCase.cannotTellArrival === true ? { timeoutMs: shortTimeoutMs } : {}),
    );
    assert.equal(delivery.kind, 'retry');
    assert.ok(
      delivery.kind === 'retry' && (channelCase.cannotTellArrival === true || !delivery.mayHaveArrived),
    );
  });

  it('is to be tried again where the name is unknown', async () => {
    const one = trial();
    const delivery = await one.deliver([firingNotice], one.open(one.receiver.settingsFor('nothing.invalid')));
    assert.equal(delivery.kind, 'retry');
  });

  it('does not connect to a denied address', async () => {
    const one = trial();
    const delivery = await one.deliver([firingNotice], one.open(one.receiver.settingsFor('169.254.169.254')));
    assert.deepEqual(delivery, { kind: 'failed', reason: '169.254.169.254 is a metadata address' });
  });

  it('is broken off from outside', async () => {
    const one = trial();
    one.receiver.mood = 'stall';
    const ending = new AbortController();
    const delivering = one.deliver([firingNotice], one.open(undefined, { timeoutMs: 60_000 }), ending.signal);
    setTimeout(() => ending.abort(), 50);
    assert.equal((await delivering).kind, 'retry');
  });
}
