// Runs steps of maintenance on the connection that writes. A step that meets long texts waits until they are analyzed.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { packError } from '../../../../foundation/threads/crossing-error.js';
import { TextsToAnalyze } from '../file/text-functions.js';
import type { JobCommits } from './commit-jobs.js';
import { maintenanceSteps } from './maintenance-steps.js';
import { type KnownTexts, noKnownTexts, type TextAnalysis, withMoreTexts } from './text-analysis.js';
import { writeErrors } from './write-errors.js';
import type { StepReply, StepRequest } from './writer-messages.js';

/** What the steps use. */
export interface StepParts {
  readonly database: Database;
  readonly commits: JobCommits;
  readonly analysis: Pick<TextAnalysis, 'analyze'>;
}

/** Runs a step. `post` gets its reply, now or when its texts are analyzed. */
export function runStep(
  parts: StepParts,
  request: StepRequest,
  post: (reply: StepReply) => void,
  known: KnownTexts = noKnownTexts,
): void {
  const { database, commits, analysis } = parts;
  const { stepId, step, argument } = request;
  try {
    // The argument is of this step's type, see `Writer.runStep` of the main thread.
    const run = maintenanceSteps[step] as (
      database: Database,
      argument: unknown,
      commits: JobCommits,
      known: KnownTexts,
    ) => unknown;
    post({ stepId, result: run(database, argument, commits, known), failure: undefined });
  } catch (error) {
    if (error instanceof TextsToAnalyze)
      analysis.analyze(error.texts, (texts) => runStep(parts, request, post, withMoreTexts(known, texts)));
    else post({ stepId, result: undefined, failure: packError(error, writeErrors) });
  }
}
