// Gives a statement up that is sent once and whose node hangs, so that its outcome can be found out early.
import type { AskedNode, NodeRecord, PassedNodes } from './passed-nodes.js';
import { CassandraFailure } from './session.js';

/**
 * Resolves or rejects as the statement does. If its node answers no statement at all for `delayMs`, and then not the
 * question whether it works, it rejects with `unanswered`: the node may carry the statement out later.
 * @throws CassandraFailure
 */
export function unlessSilent<Node extends object, Result>(
  sent: Promise<Result>,
  asked: AskedNode<Node>,
  passed: PassedNodes<Node>,
  delayMs: number,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let watched: NodeRecord<Node> | undefined;
    let answers = -1;
    const end = () => {
      clearInterval(timer);
      watched?.onSilence.delete(giveUp);
    };
    const giveUp = () => {
      end();
      reject(new CassandraFailure('unanswered', 'the node does not answer'));
    };
    const timer = setInterval(() => {
      const { node } = asked;
      if (node === undefined) return; // it is still being prepared
      if (node !== watched) {
        watched?.onSilence.delete(giveUp);
        node.onSilence.add(giveUp);
        watched = node;
        answers = asked.answersBefore;
      }
      if (node.answers === answers) passed.passBy(node.node);
      answers = node.answers;
    }, delayMs);
    sent.then(
      (result) => {
        end();
        resolve(result);
      },
      (error) => {
        end();
        reject(error);
      },
    );
  });
}
