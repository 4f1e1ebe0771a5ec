// Finds the secret for a provider: headers of the request, or else the key store (specification: Authentication).
import { apiError } from '../errors/api-error.js';
import type { EmbeddingService } from '../schema/embedding-service.js';
import { splitReference } from './credential-reference.js';
import { type KeyUser, whyNotFor } from './key-use.js';
import type { Credential, ProviderFacts, StoredKey } from './provider.js';

/** The value of a request header by its lower-case name; undefined if the request has none. */
export type ReadHeader = (name: string) => string | undefined;

/** The secrets for a provider in the headers of a request; undefined if there are none. */
export function credentialInHeaders(
  { authentication, secrets }: Pick<ProviderFacts, 'authentication' | 'secrets'>,
  header: ReadHeader,
): Credential | undefined {
  if (!authentication.header) return undefined;
  const found = secrets.flatMap((secret) => {
    const values = [secret.header, ...(secret.otherHeaders ?? [])].map((name) => header(name) ?? '');
    const value = values.find((each) => each !== '');
    return value === undefined ? [] : [[secret.member, value] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/**
 * The secrets for a service in the key store; undefined for a service without a credential.
 * @throws ApiError VECTORIZE_CREDENTIAL_INVALID for a secret that does not exist, or that the provider may not get
 */
export function credentialInKeyStore(
  { authentication }: EmbeddingService,
  provider: KeyUser,
  findKey: (name: string) => StoredKey | undefined,
): Credential | undefined {
  const references = Object.entries(authentication);
  if (references.length === 0) return undefined;
  return Object.fromEntries(
    references.map(([member, reference]) => {
      const { name } = splitReference(reference);
      const key = findKey(name);
      const secret = key?.secrets[member];
      const refused = key === undefined ? undefined : whyNotFor(name, key, provider);
      if (secret !== undefined && refused === undefined) return [member, secret];
      const problem = refused ?? `the key store does not have it, or it has no secret "${member}"`;
      throw apiError('schema', 'VECTORIZE_CREDENTIAL_INVALID', { credential: name, problem });
    }),
  );
}
