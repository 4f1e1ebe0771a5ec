// What precedes texts, as Sentence Transformers write it.
import { type ModelPlace, membersOfJson, readModelJson } from './model-files.js';
import { ModelProblem } from './model-problem.js';

/** What precedes stored texts and texts to search for; '' for nothing. */
export interface Prompts {
  readonly passage: string;
  readonly query: string;
}

/** Sentence Transformers write them beside other settings. */
const promptsFile = 'config_sentence_transformers.json';
const longestPrompt = 1_000;

/**
 * Reads `{"prompts": {"query": "query: ", "document": "passage: "}, "default_prompt_name": null}`.
 * @throws ModelProblem
 */
export function readPrompts(place: ModelPlace): Prompts {
  const { prompts, default_prompt_name: preset } = membersOfJson(readModelJson(place, promptsFile));
  const known = membersOfJson(prompts);
  const promptOf = (names: readonly unknown[]): string => {
    const name = names.find((one) => typeof one === 'string' && Object.hasOwn(known, one));
    const prompt = typeof name === 'string' ? known[name] : '';
    if (typeof prompt === 'string' && prompt.length <= longestPrompt) return prompt;
    throw new ModelProblem(
      `${promptsFile} has a prompt that is not a text of at most ${longestPrompt} characters`,
    );
  };
  return { query: promptOf(['query', preset]), passage: promptOf(['document', 'passage', preset]) };
}
