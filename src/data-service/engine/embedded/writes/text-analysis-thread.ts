// The thread that analyzes long texts for the writer thread, which writes for others meanwhile.
import { serveThread } from '../../../../foundation/threads/serve-thread.js';
import { type AnalyzedText, analyzeText, type WantedText } from '../file/text-functions.js';

/** Texts to analyze. */
export interface AnalysisRequest {
  readonly texts: readonly WantedText[];
}

/** The tokens of the texts of a request, in their order; requests are answered in order. */
export interface AnalysisReply {
  readonly tokens: readonly AnalyzedText['tokens'][];
}

serveThread<object, AnalysisRequest, AnalysisReply>((_, owner) => ({
  receive: ({ texts }) => {
    const analyzed = texts.flatMap(({ stored, definition }) => analyzeText(stored, [definition]));
    owner.post({ tokens: analyzed.map(({ tokens }) => tokens) });
  },
  close: () => {},
}));
