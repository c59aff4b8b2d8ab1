import type { Slot } from './slots.ts';

/** Input and output of one request together can have no more tokens than this. */
export const CONTEXT_TOKENS = 8192;

/** What answers say in `system_fingerprint` and `build_info`. */
export const BUILD = 'jano-example';

/** The answer of every known route while the model is being loaded. */
export const LOADING = {
  error: { message: 'Loading model', type: 'unavailable_error', code: 503 },
};

/** The answer of unknown routes, and of known ones asked with another method. */
export const NOT_FOUND = {
  error: { message: 'File Not Found', type: 'not_found_error', code: 404 },
};

/** The answer to `/slots?fail_on_no_slot=1` while all are taken. */
export const NO_SLOT = {
  error: { code: 503, message: 'no slot available', type: 'unavailable_error' },
};

/** A request that cannot be served as it is. */
export class RefusedError extends Error {
  readonly status: number;
  /** The answer's body, in llama-server's shape. */
  readonly body: object;

  constructor(status: number, message: string, type = 'invalid_request_error', details = {}) {
    super(message);
    this.status = status;
    this.body = { error: { code: status, message, type, ...details } };
  }
}

/** The answer of /props, as far as it means anything here. */
export function showProps(model: string, slots: readonly Slot[]): object {
  return {
    default_generation_settings: { n_ctx: CONTEXT_TOKENS },
    total_slots: slots.length,
    model_alias: model,
    model_path: model,
    modalities: { vision: false, video: false, audio: false },
    endpoint_slots: true,
    endpoint_props: false,
    endpoint_metrics: false,
    build_info: BUILD,
    is_sleeping: false,
  };
}

/** The answer of /slots. */
export function showSlots(slots: readonly Slot[]): readonly object[] {
  return slots.map(({ id, isProcessing, generation }) => ({
    id,
    n_ctx: CONTEXT_TOKENS,
    speculative: false,
    is_processing: isProcessing,
    ...(generation !== null && {
      n_prompt_tokens: generation.order.inputTokens + generation.outputTokens,
      next_token: [
        {
          has_next_token: isProcessing,
          n_remain: generation.order.outputTokensLimit - generation.outputTokens,
          n_decoded: generation.outputTokens,
        },
      ],
    }),
  }));
}

/** The answer of /v1/models; `created` is in seconds since 1970. */
export function showModels(model: string, created: number): object {
  const entry = { name: model, model, type: 'model', capabilities: ['completion'] };
  const meta = { n_ctx: CONTEXT_TOKENS, n_ctx_train: CONTEXT_TOKENS };
  return {
    models: [entry],
    object: 'list',
    data: [{ id: model, aliases: [model], object: 'model', created, owned_by: 'llamacpp', meta }],
  };
}
