// A text of a command that is to be embedded.
import type { Purpose } from '../embedding/provider.js';
import { type ReadRequest, textOf } from '../query/read-request.js';
import type { EmbeddingService } from '../schema/embedding-service.js';
import type { Column } from '../schema/table.js';

/** A text for a vector column that has a service; plain data. */
export interface TextToEmbed {
  readonly service: EmbeddingService;
  readonly dimension: number;
  readonly purpose: Purpose;
  readonly text: string;
}

/** The text for a column that has an enabled service, which was checked when the text was read. */
export function textToEmbed(column: Column, text: string, purpose: Purpose): TextToEmbed {
  const { service, type } = column;
  if (service?.isEnabled !== true || type.vector === undefined)
    throw new TypeError(`the column ${column.name} has no service for its texts`);
  return { service: service.service, dimension: type.vector.dimension, purpose, text };
}

/** The text of a read that searches by one. */
export function queryTexts(request: ReadRequest): readonly TextToEmbed[] {
  const search = textOf(request);
  return search === undefined ? [] : [textToEmbed(search.column, search.text, 'query')];
}
