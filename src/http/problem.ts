/** An answer that Jano itself makes because a request cannot go on. Messages are for the user: what is wrong and what to do. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly retryAfterSeconds?: number | null;
}

/** The path could not be forwarded to any model. */
export function noModelNamed(names: string): Problem {
  const message = `the request names no model; set "model" in the body, ?model=… or the header X-Model to one of: ${names}`;
  return { status: 404, code: 'model_not_found', message };
}

/** The model that the request names is not configured. */
export function modelNotFound(name: string, names: string): Problem {
  const message = `no model "${name.slice(0, 200)}"; configured are: ${names}`;
  return { status: 404, code: 'model_not_found', message };
}

/** The model could only stand in the body, and that is broken or stops short. */
export const malformedJson: Problem = {
  status: 400,
  code: 'malformed_json',
  message: 'the body is not valid JSON, so the model cannot be told',
};

/** The same of a form. */
export const malformedForm: Problem = {
  status: 400,
  code: 'malformed_form',
  message: 'the body is no valid multipart/form-data, so the model cannot be told',
};

/** The model could only stand in the body, and that cannot be decoded. */
export function undecodableBody(coding: string): Problem {
  const message = `the body is not what its Content-Encoding (${coding}) says, so the model cannot be told`;
  return { status: 400, code: 'undecodable_body', message };
}

/** The bodies of those who wait, and of those who are still sending, take all the memory that they may. */
export function memoryFull(limitBytes: number): Problem {
  const message = `the bodies of waiting requests fill queue.maxWaitingBytes (${limitBytes} bytes); try again later`;
  return { status: 503, code: 'queue_full', message, retryAfterSeconds: 10 };
}

/** What the coding did to the body would be lost on the way: the next head says only how long it is. */
export function unknownCoding(coding: string): Problem {
  const message = `the transfer coding "${coding.slice(0, 200)}" is not known; only "chunked" is`;
  return { status: 501, code: 'unknown_transfer_coding', message };
}

/** One body is larger than any may be. */
export function bodyTooLarge(limitBytes: number): Problem {
  const message = `the body is larger than limits.body (${limitBytes} bytes)`;
  return { status: 413, code: 'body_too_large', message };
}

/** A caller sends on a websocket that its backend has not agreed to yet. */
export const earlyDataTooLarge: Problem = {
  status: 413,
  code: 'early_data_too_large',
  message: 'more was sent than can be kept before the websocket is open',
};

/** The backend refused the connection, broke it before answering, or answered what is no HTTP. */
export function backendFailed(model: string, cause: string): Problem {
  const message = `the backend of "${model}" failed before it answered: ${cause}`;
  return { status: 502, code: 'backend_failed', message };
}

/** The backend has sent nothing for as long as it may, before or in its answer. */
export function backendTooSlow(model: string, limitMs: number): Problem {
  const message = `the backend of "${model}" sent nothing for ${limitMs} ms (limits.request)`;
  return { status: 504, code: 'backend_timeout', message };
}
