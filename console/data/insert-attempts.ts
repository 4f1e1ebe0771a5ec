// Inserts what is typed as JSON: after an attempt that failed in part, the next one inserts nothing twice.
import { useRef } from 'preact/hooks';
import { isList, isObject, type Json, memberAt, plainText } from '../json/exact-json.js';
import { RequestFailure } from '../net/send-request.js';
import { counted } from '../parts/counted.js';
import { askCommand, type Command, type CommandReply } from './command.js';
import type { Item } from './schema.js';

/** What a form does with a list of which a part is stored. */
export interface PartlyStored {
  /** Keeps in the form what was refused. */
  readonly onLeft: (documents: readonly Json[]) => void;
  readonly onStored: () => void;
}

/** A proxy in front of the server answers so if the server does not. */
const lostStatuses: readonly number[] = [0, 502, 504];

/** Sends inserts, and says why what is typed should not be sent again. */
export function useInsertAttempts({ kind }: Item, { onLeft, onStored }: PartlyStored) {
  const isReplyLost = useRef(false);
  /** @throws RequestFailure */
  const send = async (command: Command): Promise<CommandReply> => {
    try {
      const { failure, ...reply } = await askCommand(command);
      isReplyLost.current = false;
      if (failure === undefined) return reply;
      const { documents } = command.body;
      const all = isList(documents) ? documents : [];
      const left = refusedOf(all, reply.status);
      if (left.length === all.length) throw failure;
      onLeft(left);
      onStored();
      const stored = `${(all.length - left.length).toLocaleString()} of ${counted(all.length, nounOf(kind))}`;
      const message = `${stored} were inserted, and the form has the others. ${failure.message}`;
      throw new RequestFailure(failure.status, failure.kind, message, failure.details);
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
      'The reply to the last attempt did not arrive: what it sent is perhaps stored, with other ids. ' +
      'Look for it before you insert it again.'
    );
  };
  return { send, doubt };
}

function nounOf(kind: Item['kind']): string {
  return kind === 'table' ? 'row' : 'document';
}

/** The documents that are not stored; all of them if the reply does not say which. */
function refusedOf(documents: readonly Json[], status: Json | undefined): readonly Json[] {
  const responses = memberAt(status, 'documentResponses');
  if (!isList(responses) || responses.length !== documents.length) return documents;
  return documents.filter((_, at) => plainText(memberAt(responses[at], 'status')) !== 'OK');
}
