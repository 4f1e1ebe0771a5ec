// Errors about documents of collections, and about updates of them.
import { entry } from './error-entry.js';

interface Problem {
  readonly problem: string;
}

/** Family REQUEST, no scope: the member `$hybrid`. */
export const hybridErrors = {
  HYBRID_FIELD_CONFLICT: entry({
    title: '$hybrid beside other reserved members',
    when: 'A document has `$hybrid` and `$lexical`, `$vector` or `$vectorize`.',
    message: (_: object) =>
      '"$hybrid" stands for $lexical and $vectorize.\nRemove "$hybrid", or $lexical, $vector and $vectorize.',
  }),
  HYBRID_FIELD_UNKNOWN_SUBFIELDS: entry({
    title: 'Member of $hybrid unknown',
    when: '`$hybrid` has a member other than `$lexical` and `$vectorize`.',
    message: (p: { unknown: string }) =>
      `"$hybrid" has the unknown member "${p.unknown}".\nIts members are "$lexical" and "$vectorize".`,
  }),
  HYBRID_FIELD_UNSUPPORTED_SUBFIELD_VALUE_TYPE: entry({
    title: 'Member of $hybrid not a string',
    when: 'A member of `$hybrid` is neither a string nor null.',
    message: (p: Problem) => `The members of "$hybrid" must be strings or null: ${p.problem}.`,
  }),
  HYBRID_FIELD_UNSUPPORTED_VALUE_TYPE: entry({
    title: '$hybrid of an unsupported kind',
    when: '`$hybrid` is neither a string, nor an object, nor null.',
    message: (p: Problem) =>
      `"$hybrid" must be a string or an object with "$lexical" and "$vectorize": ${p.problem}.`,
  }),
} as const;

/** Family REQUEST, scope DOCUMENT. */
export const storedDocumentErrors = {
  DOCUMENT_ALREADY_EXISTS: entry({
    title: 'Document exists',
    when: 'A document is inserted with an `_id` that another document has.',
    message: (p: { id: string }) =>
      `A document with the _id ${p.id} exists; it was not changed.\nUse another _id, or change the document with findOneAndReplace or updateOne.`,
  }),
  DOCUMENT_REPLACE_DIFFERENT_DOCID: entry({
    title: 'Replacement with another _id',
    when: 'findOneAndReplace has a replacement with an `_id` that differs from that of the document.',
    message: (p: { replaceId: string; matchedId: string }) =>
      `The replacement has the _id ${p.replaceId}, and the document has the _id ${p.matchedId}; an _id cannot be changed.\nRemove "_id" from the replacement.`,
  }),
  INVALID_VECTORIZE_VALUE_TYPE: entry({
    title: '$vectorize not a string',
    when: '`$vectorize` of a document or an update is neither a string nor null.',
    message: (p: Problem) => `"$vectorize" must be a string or null: ${p.problem}.`,
  }),
  LEXICAL_CONTENT_TOO_LONG: entry({
    title: '$lexical too long',
    when: 'The text of `$lexical` exceeds its limit.',
    message: (p: { limit: number }) => `The text of "$lexical" has more than ${p.limit} bytes.\nShorten it.`,
  }),
  SHRED_BAD_BINARY_VECTOR_VALUE: entry({
    title: 'Binary vector not valid',
    when: 'The `$binary` of a `$vector` is not base64, or not of whole floats.',
    message: (p: Problem) => `The "$binary" of "$vector" is not valid: ${p.problem}.`,
  }),
  SHRED_BAD_DOCID_TYPE: entry({
    title: '_id of an unsupported kind',
    when: 'An `_id` is an array, an object that is not an extended value, or an extended value that is not valid.',
    message: (p: Problem) =>
      `The _id is not valid: ${p.problem}.\nAn _id is a string, a number, true, false, null, {"$uuid": …}, {"$objectId": …} or {"$date": …}.`,
  }),
  SHRED_BAD_DOCID_VALUE: entry({
    title: '_id not valid',
    when: 'An `_id` is an empty string, or too long.',
    message: (p: Problem) => `The _id is not valid: ${p.problem}.`,
  }),
  SHRED_BAD_DOCUMENT_LEXICAL_TYPE: entry({
    title: '$lexical not a string',
    when: '`$lexical` of a document is neither a string nor null.',
    message: (p: Problem) => `"$lexical" must be a string or null: ${p.problem}.`,
  }),
  SHRED_BAD_DOCUMENT_TYPE: entry({
    title: 'Document not an object',
    when: 'A document to insert is not a JSON object.',
    message: (p: { documentType: string }) =>
      `A document must be a JSON object, but it is of the kind ${p.documentType}.`,
  }),
  SHRED_BAD_DOCUMENT_VECTOR_TYPE: entry({
    title: '$vector of an unsupported kind',
    when: '`$vector` of a document is neither an array, nor `{"$binary": …}`, nor null.',
    message: (p: Problem) => `"$vector" must be an array of numbers or {"$binary": …}: ${p.problem}.`,
  }),
  SHRED_BAD_FIELD_NAME: entry({
    title: 'Name of a member not valid',
    when:
      'A name is empty, has half of a surrogate pair, or begins with `$` where no reserved member or extended ' +
      'value can be.',
    message: (p: Problem) => `A name in the document is not valid: ${p.problem}.`,
  }),
} as const;

/** Family REQUEST, scope UPDATE. */
export const documentUpdateErrors = {
  UNSUPPORTED_UPDATE_OPERATION_MODIFIER: entry({
    title: 'Modifier or path of an update operator unknown',
    when: 'An update operator on a collection has an unknown modifier, or a path that begins with `$`.',
    message: (p: Problem) => `The update is not valid: ${p.problem}.`,
  }),
  UNSUPPORTED_UPDATE_OPERATION_PARAM: entry({
    title: 'Operand of an update operator not valid',
    when: 'An update operator on a collection has an operand that it does not take, or a path is changed twice.',
    message: (p: Problem) => `The update is not valid: ${p.problem}.`,
  }),
  UNSUPPORTED_UPDATE_OPERATION_PATH: entry({
    title: 'Path of an update operator not valid',
    when: 'A path in an update of a collection is not well-formed, or leads through a value that is not an object.',
    message: (p: Problem) => `A path of the update is not valid: ${p.problem}.`,
  }),
  UNSUPPORTED_UPDATE_OPERATION_TARGET: entry({
    title: 'Stored value not one for the update operator',
    when: 'The stored value at the path of `$inc`, `$mul`, `$push`, `$addToSet` or `$pop` is of another kind.',
    message: (p: Problem) => `The update does not fit the document: ${p.problem}.`,
  }),
  UNSUPPORTED_UPDATE_OPERATOR_FOR_DOC_ID: entry({
    title: '_id cannot be changed',
    when: 'An update operator other than `$setOnInsert` names `_id`.',
    message: (p: { operator: string }) => `${p.operator} cannot change "_id".\nOnly $setOnInsert can set it.`,
  }),
  UNSUPPORTED_UPDATE_OPERATOR_FOR_LEXICAL: entry({
    title: 'Operator not possible on $lexical',
    when: 'An update operator other than `$set`, `$setOnInsert` and `$unset` names `$lexical`.',
    message: (p: { operator: string }) =>
      `${p.operator} cannot change "$lexical".\nUse $set, $setOnInsert or $unset.`,
  }),
  UNSUPPORTED_UPDATE_OPERATOR_FOR_VECTOR: entry({
    title: 'Operator not possible on $vector',
    when: 'An update operator other than `$set`, `$setOnInsert` and `$unset` names `$vector`.',
    message: (p: { operator: string }) =>
      `${p.operator} cannot change "$vector".\nUse $set, $setOnInsert or $unset.`,
  }),
  UNSUPPORTED_UPDATE_OPERATOR_FOR_VECTORIZE: entry({
    title: 'Operator not possible on $vectorize',
    when: 'An update operator other than `$set`, `$setOnInsert` and `$unset` names `$vectorize`.',
    message: (p: { operator: string }) =>
      `${p.operator} cannot change "$vectorize".\nUse $set, $setOnInsert or $unset.`,
  }),
} as const;
