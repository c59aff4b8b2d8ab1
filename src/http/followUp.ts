import { unescaped } from '../core/unescaped.ts';
import type { BodyReader } from './body/bodyReader.ts';
import { queryValue, withoutQuery } from './requestPath.ts';

/** The header by which llama-server keeps a stream that can be resumed. */
export const CONVERSATION_HEADER = 'x-conversation-id';

/** Whether what the backend answers there begins with an id that later requests may refer to. */
export function answersWithId(method: string, path: string): boolean {
  return (
    method === 'POST' && /^\/(?:v1\/)?(?:responses|chat\/completions)$/.test(withoutQuery(path))
  );
}

/** The ids by which a request refers to what a model has made or was told: of its path, its query, its header and its body. */
export function idsOf(path: string, conversation: string | undefined, body: BodyReader): string[] {
  const ids = [
    inPath(path),
    queryValue(path, 'conv_id'),
    conversation,
    body.get('previous_response_id'),
    body.get('id'),
    ...conversationsIn(path, body),
  ];
  return ids.flatMap((id) => (id ? [id] : []));
}

function inPath(path: string): string | undefined {
  const id = /^\/(?:v1\/)?responses\/([^/?]+)/.exec(path)?.[1];
  return id === undefined ? undefined : unescaped(id);
}

/** Of several conversations one answer cannot tell for several models: the first that is known counts. */
function conversationsIn(path: string, body: BodyReader): string[] {
  if (!/^\/(?:v1\/)?streams\/lookup(?:\?|$)/.test(path)) return [];
  const value = body.value();
  if (typeof value !== 'object' || value === null || !('conversation_ids' in value)) return [];
  const ids: unknown = value.conversation_ids;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}
