import { valuesOf } from './messageReading.ts';
import { pathOf, type SentRequest } from './requestReading.ts';

const KNOWN = /^(?:tiny-chat|tiny-tool|tiny-embed|tiny-rerank)(?::latest)?$/i;

/**
 * What has to come of a request of which the model can only be told from a body in JSON: JSON.parse is the judge.
 * Unclear: something else may name the model, or refuses the request.
 */
export function expectedModel(request: SentRequest): 'forwarded' | 404 | 501 | 'unclear' {
  // Those that only look may be for Jano itself.
  if (request.hasUnknownCoding) return /^(?:GET|HEAD)$/.test(request.method) ? 'unclear' : 501;
  const { method, headers, content, target } = request;
  const path = pathOf(target);
  if (method !== 'POST' || !/^\/v1\/[a-z/_]+$/.test(path) || content === '') return 'unclear';
  const others = ['x-model', 'content-encoding', 'expect', 'upgrade', 'host', 'content-type'];
  const counts = others.map((name) => valuesOf(headers, name));
  const [model = [], encoding = [], expect = [], upgrade = [], host = [], type = []] = counts;
  const isOdd = [model, encoding, expect, upgrade].some((values) => values.length > 0);
  if (isOdd || host.length > 1 || type.some((value) => !value.includes('json'))) return 'unclear';
  const body = parse(content);
  if (typeof body !== 'object' || body === null) return 'unclear';
  const name: unknown = Array.isArray(body) ? undefined : Reflect.get(body, 'model');
  if (typeof name !== 'string' || name === '') return 'forwarded';
  return KNOWN.test(name) ? 'forwarded' : 404;
}

function parse(content: string): unknown {
  try {
    const text = new TextDecoder().decode(Buffer.from(content, 'latin1'));
    // An own `__proto__` is as good as any.
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
