// The field for the model that makes vectors from texts: the built-in one, or a local model of the server.
import { useLoaded } from '../net/use-loaded.js';
import { SelectField } from '../parts/field.js';
import { FailureNotice } from '../parts/notice.js';
import { loadLocalModels } from './choose-embedding.js';
import { builtInHint, builtInModel } from './embedding-service.js';

/** Offers the built-in model, and local models when they are loaded; shows the failure where they cannot be. */
export function EmbeddingModelField({
  model,
  onChange,
}: {
  readonly model: string;
  readonly onChange: (model: string) => void;
}) {
  const { value: names = [], failure } = useLoaded('local-models', loadLocalModels);
  if (failure !== undefined) return <FailureNotice failure={failure} />;
  return (
    <SelectField
      label="Model"
      value={model}
      choices={[
        { value: builtInModel, label: 'Built in' },
        ...names.map((name) => ({ value: name, label: `${name} (local)` })),
      ]}
      hint={model === builtInModel ? builtInHint : undefined}
      onChange={onChange}
    />
  );
}
