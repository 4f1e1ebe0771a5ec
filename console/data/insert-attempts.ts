// Inserts what is typed as JSON: after an attempt that failed in part, the next one inserts nothing twice.
import { useEffect, useRef } from 'preact/hooks';
import { isList, isObject, type Json } from '../json/exact-json.js';
import { RequestFailure } from '../net/send-request.js';
import { counted } from '../parts/counted.js';
import { type AskedReply, askCommand, type Command, type CommandReply } from './command.js';
import { reasonsOf, refusedPlaces } from './insert-refusals.js';
import type { Item } from './schema.js';

/** What a form does with a list of which a part is stored. */
export interface PartlyStored {
  /** What is typed now. */
  readonly text: string;
  /** Keeps in the form what was refused. It is not called if another text was typed meanwhile. */
  readonly onLeft: (documents: readonly Json[]) => void;
  readonly onStored: () => void;
}

/** A proxy in front of the server answers so if the server does not. */
const lostStatuses: readonly number[] = [0, 502, 504];

/** Sends inserts, and says why what is typed should not be sent again. */
export function useInsertAttempts({ kind }: Item, { text, onLeft, onStored }: PartlyStored) {
  const textNow = useRef<string | undefined>(text);
  textNow.current = text;
  useEffect(
    () => () => {
      textNow.current = undefined; // the form is closed
    },
    [],
  );
  const isReplyLost = useRef(false);
  /** @throws RequestFailure */
  const send = async (command: Command): Promise<CommandReply> => {
    try {
      const { failure, errors, ...reply } = await askCommand(command);
      isReplyLost.current = false;
      if (failure === undefined) return reply;
      const { documents } = command.body;
      const all = isList(documents) ? documents : [];
      const places = refusedPlaces(all.length, reply.status);
      const isPart = places.length < all.length;
      const isKept = isPart && textNow.current === text;
      if (isKept) onLeft(all.filter((_, at) => places.includes(at)));
      if (isPart) onStored();
      throw failureOf(kind, { ...reply, failure, errors }, { count: all.length, places, isKept });
    } catch (error) {
      if (error instanceof RequestFailure && lostStatuses.includes(error.status)) isReplyLost.current = true;
      throw error;
    }
  };
  /** A row has its key, and a document with an id is refused the second time: others are inserted twice. */
  const doubt = (typed: Json | undefined): string | undefined => {
    const documents = isList(typed) ? typed : [typed];
    const hasIds = documents.every((one) => isObject(one) && one['_id'] !== undefined);
    if (!isReplyLost.current || kind === 'table' || hasIds) return undefined;
    return (
      'The reply to the last attempt did not arrive: what it sent may be stored already, with new ids. ' +
      'Look for it before you insert it again.'
    );
  };
  return { send, doubt };
}

interface Outcome {
  readonly count: number;
  /** The places of what was refused, from 0 on. */
  readonly places: readonly number[];
  /** Whether the form has them, and nothing else. */
  readonly isKept: boolean;
}

/** Names what was refused, and by its number in the form: after a part was stored, the form has only the others. */
function failureOf(
  kind: Item['kind'],
  reply: AskedReply & { readonly failure: RequestFailure },
  { count, places, isKept }: Outcome,
): RequestFailure {
  const { failure } = reply;
  if (count < 2) return failure;
  const noun = kind === 'table' ? 'row' : 'document';
  const refused = places.map((at, order) => ({ at, number: isKept ? order + 1 : at + 1 }));
  const reasons = reasonsOf(noun === 'row' ? 'Row' : 'Document', refused, reply);
  const [first = failure.message, ...details] = reasons;
  const stored = count - places.length;
  const others = places.length === 1 ? 'the other one' : 'the others';
  const rest = isKept ? `and the form has ${others}` : `but not ${others}, which the form no longer has`;
  const head =
    stored === 0
      ? ''
      : `${stored} of ${counted(count, noun)} ${stored === 1 ? 'was' : 'were'} inserted, ${rest}. `;
  const further = reasons.length === 0 ? failure.details : details;
  return new RequestFailure(failure.status, failure.kind, `${head}${first}`, further);
}
