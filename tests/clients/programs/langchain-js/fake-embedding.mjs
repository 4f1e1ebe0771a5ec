// An embedding without a service: the same vector for the same text.
import { createHash } from 'node:crypto';
import { Embeddings } from '@langchain/core/embeddings';

const dimension = 8;

/** Vectors of random directions. */
export class DeterministicFakeEmbedding extends Embeddings {
  constructor() {
    super({});
  }

  async embedDocuments(texts) {
    return texts.map((text) => {
      const bytes = createHash('sha256').update(text).digest();
      return Array.from({ length: dimension }, (_, at) => bytes[at] / 128 - 1);
    });
  }

  async embedQuery(text) {
    const [vector] = await this.embedDocuments([text]);
    return vector;
  }
}
