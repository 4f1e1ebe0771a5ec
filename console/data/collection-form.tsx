// The form of a collection: its search by vectors and by words.
import { vectorMetrics } from '../../src/descriptions/vector-metrics.js';
import { type ExactNumber, exactNumber, type JsonObject } from '../json/exact-json.js';
import { CheckField, SelectField, TextField } from '../parts/field.js';
import { EmbeddingModelField } from './embedding-model-field.js';
import { builtInModel, serviceOf } from './embedding-service.js';

export interface CollectionForm {
  readonly vectors: 'service' | 'own' | 'none';
  /** The model of the service: see `serviceOf`. */
  readonly model: string;
  readonly dimension: string;
  readonly metric: string;
  readonly hasWords: boolean;
}

/** A form to begin with. */
export const newCollection: CollectionForm = {
  vectors: 'service',
  model: builtInModel,
  dimension: '384',
  metric: 'cosine',
  hasWords: true,
};

/** The options of the collection. */
export function collectionBody({
  vectors,
  model,
  dimension,
  metric,
  hasWords,
}: CollectionForm): JsonObject | string {
  const size = dimensionOf(dimension);
  if (vectors === 'own' && size === undefined) return 'Type the dimension of the vectors.';
  const vector = vectors === 'service' ? { metric, service: serviceOf(model) } : { dimension: size, metric };
  return {
    ...(vectors === 'none' ? {} : { vector }),
    lexical: hasWords ? { enabled: true, analyzer: 'standard' } : { enabled: false },
  };
}

/** A typed dimension; undefined for other texts. JSON has no numbers with zeros before them. */
export function dimensionOf(text: string): ExactNumber | undefined {
  return /^\d+$/.test(text) ? exactNumber(text.replace(/^0+(?=\d)/, '')) : undefined;
}

export function CollectionFields({
  form,
  onChange,
}: {
  readonly form: CollectionForm;
  readonly onChange: (form: CollectionForm) => void;
}) {
  return (
    <div class="form">
      <SelectField
        label="Vectors"
        value={form.vectors}
        choices={vectorChoices}
        onChange={(value) => {
          const vectors = vectorChoices.find((choice) => choice.value === value)?.value ?? 'none';
          onChange({ ...form, vectors });
        }}
      />
      {form.vectors === 'service' && (
        <EmbeddingModelField model={form.model} onChange={(model) => onChange({ ...form, model })} />
      )}
      <div class="form-row">
        {form.vectors === 'own' && (
          <TextField
            label="Dimension"
            value={form.dimension}
            onChange={(dimension) => onChange({ ...form, dimension })}
          />
        )}
        {form.vectors !== 'none' && (
          <SelectField
            label="Similarity"
            value={form.metric}
            choices={vectorMetrics}
            onChange={(metric) => onChange({ ...form, metric })}
          />
        )}
      </div>
      <CheckField
        label="Search by words (lexical)"
        isChecked={form.hasWords}
        onChange={(hasWords) => onChange({ ...form, hasWords })}
      />
    </div>
  );
}

const vectorChoices = [
  { value: 'service', label: 'From texts, by a model' },
  { value: 'own', label: 'Sent by the client' },
  { value: 'none', label: 'None' },
] as const;
