// The interface of embedding providers: their facts, and the function that embeds.
import type { SendRequest } from '../../foundation/http/send-request.js';
import type { Clock } from '../../foundation/telemetry/clock.js';

/** The purpose of an embedding. Some models embed stored texts and texts to search for in different ways. */
export type Purpose = 'passage' | 'query';

/** The dimensions that a model supports. */
export type DimensionRule =
  | { readonly kind: 'fixed'; readonly dimension: number }
  | { readonly kind: 'range'; readonly least: number; readonly most: number; readonly default: number | null }
  | { readonly kind: 'options'; readonly options: readonly number[]; readonly default: number | null };

/** The value of a provider's or model's parameter. */
export type ParameterValue = string | number | boolean;

/** A parameter of a provider, or of one of its models. */
export interface ProviderParameter {
  readonly name: string;
  readonly type: 'string' | 'number' | 'boolean';
  readonly isRequired: boolean;
  readonly default?: ParameterValue;
  /** The allowed texts; undefined if all are allowed. */
  readonly options?: readonly string[];
  /** Part of a host name: only letters, digits and hyphens, so that a value cannot change the host to any other. */
  readonly isHostLabel?: boolean;
  /** Chooses among servers of the provider's customers, who see the key in a request. */
  readonly choosesServer?: boolean;
  readonly help: string;
  readonly displayName?: string;
  readonly hint?: string;
  /** A definition without it is stored with its default, so that a later change of the default is noticed. */
  readonly isKept?: boolean;
}

/** The life cycle of models, in order. */
export const modelStatuses = ['SUPPORTED', 'DEPRECATED', 'END_OF_LIFE'] as const;

/** A stage of the life cycle. */
export type ModelStatus = (typeof modelStatuses)[number];

/** What every model has. */
export interface ModelFacts {
  readonly name: string;
  readonly status: ModelStatus;
  /** The message for users of a model that is not supported. */
  readonly statusMessage: string | null;
}

export interface ProviderModel extends ModelFacts {
  readonly dimension: DimensionRule;
  /** All parameters except the dimension. */
  readonly parameters: readonly ProviderParameter[];
}

/** One secret that a provider needs. */
export interface SecretMember {
  /** Its name in the key store, and in the `authentication` of a column: `providerKey`. */
  readonly member: string;
  /** The request header that contains it, in lower case. */
  readonly header: string;
  /** Other names of that header, which clients use. */
  readonly otherHeaders?: readonly string[];
  /** The header in which the provider receives it, for the reference. */
  readonly forwarded: string;
}

/** Ways to authenticate at a provider. */
export interface AuthenticationKinds {
  /** Works without a secret. */
  readonly none: boolean;
  /** The secret is in headers of the request. */
  readonly header: boolean;
  /** The secret is in the key store. */
  readonly sharedSecret: boolean;
}

/** The limits of requests to a provider. */
export interface ProviderLimits {
  /** The maximum number of texts in one request. */
  readonly maxBatchSize: number;
  /** The time limit of one request. */
  readonly timeoutMs: number;
  /** Including the first. */
  readonly maxAttempts: number;
  /** Before the second attempt; doubles with each further one. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** The facts of a provider of embeddings or of rankings. The providers file can change them. */
export interface ProviderFacts<Model extends ModelFacts = ModelFacts> {
  readonly displayName: string;
  /** With placeholders `{name}` for parameters or `{model}`; null if there is none. */
  readonly url: string | null;
  readonly isEnabled: boolean;
  /** What makes a provider that is not enabled available: `the file of --providers-file can enable it`. */
  readonly wayToEnable: string;
  /** The regions in which it is available; null for all. */
  readonly regions: readonly string[] | null;
  readonly authentication: AuthenticationKinds;
  readonly secrets: readonly SecretMember[];
  readonly parameters: readonly ProviderParameter[];
  readonly models: readonly Model[];
  readonly limits: ProviderLimits;
}

/** The facts of an embedding provider. */
export type ProviderEntry = ProviderFacts<ProviderModel>;

/** Secrets by their member: `{providerKey}`, or `{accessId, secretKey}`. */
export type Credential = Readonly<Record<string, string>>;

/** An entry of the key store. */
export interface StoredKey {
  readonly secrets: Credential;
  /** The names of the providers that may get it; undefined if the operator named none. */
  readonly providers?: readonly string[];
}

/** One request to a provider. */
export interface TextBatch {
  readonly entry: ProviderEntry;
  readonly model: ProviderModel;
  readonly dimension: number;
  /** The parameters of the provider and of the model. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Undefined if none is needed or known. */
  readonly credential: Credential | undefined;
  readonly purpose: Purpose;
  /** At least one, at most `maxBatchSize`. */
  readonly texts: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called by providers that know how much of a text their model reads. */
  readonly onCut?: (cut: CutTexts) => void;
}

/** Texts whose end did not become part of their vectors or scores. */
export interface CutTexts {
  /** How many texts: at least one. */
  readonly count: number;
  /** The tokens of a text that the model reads. */
  readonly mostTokens: number;
}

/** Texts for a model of this machine. */
export interface TextsForLocalModel extends Pick<TextBatch, 'purpose' | 'texts' | 'timeoutMs' | 'signal'> {
  /** The name of its directory. */
  readonly model: string;
  /** The fingerprint that it must have. */
  readonly fingerprint: string;
}

/** What a model of this machine made of texts. */
export interface LocalVectors {
  /** One per text, in their order. */
  readonly vectors: readonly Float32Array[];
  /** Undefined if every text was read to its end. */
  readonly cut: CutTexts | undefined;
}

/** Passages for a model of this machine. */
export interface PassagesForLocalModel extends Pick<TextBatch, 'timeoutMs' | 'signal'> {
  /** The name of its directory. */
  readonly model: string;
  readonly query: string;
  readonly passages: readonly string[];
}

/** What a model of this machine made of passages. */
export interface LocalScores {
  /** One per passage, in their order: the greater, the better it answers the query. */
  readonly scores: readonly number[];
  /** Undefined if every passage was read to its end. */
  readonly cut: CutTexts | undefined;
}

/** Runs models in files of this machine. Both reject with a ProviderFailure. */
export interface LocalModelRunner {
  embed(wanted: TextsForLocalModel): Promise<LocalVectors>;
  rank(wanted: PassagesForLocalModel): Promise<LocalScores>;
}

/** The effects that a provider needs. */
export interface ProviderEffects {
  readonly send: SendRequest;
  readonly clock: Clock;
  readonly localModels: LocalModelRunner;
}

/** Computes embeddings. An entry of the registry, from which `docs/embedding-providers.md` is generated. */
export interface EmbeddingProvider {
  /** The name in the `service` of a column: `openai`. */
  readonly name: string;
  /** One line for the reference. */
  readonly help: string;
  readonly entry: ProviderEntry;
  /**
   * One vector per text, in the same order, each with `dimension` finite numbers.
   * @throws ProviderFailure
   */
  embed(batch: TextBatch, effects: ProviderEffects): Promise<readonly Float32Array[]>;
}
