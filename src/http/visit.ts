import { withoutQuery } from './requestPath.ts';

/** What ends, resumes or steers what a model is at: waiting behind it would be pointless. */
const FOLLOW_UPS: readonly (readonly [method: RegExp, path: RegExp])[] = [
  [/^DELETE$/, /^\/(?:v1\/)?responses\/[^/]+$/],
  [/^POST$/, /^\/(?:v1\/)?responses\/[^/]+\/cancel$/],
  [/^(?:POST|DELETE)$/, /^\/(?:v1\/)?streams?(?:\/lookup)?$/],
  [/^POST$/, /^\/(?:v1\/)?chat\/completions\/control$/],
];

/** Whether a request only looks, describes, or follows up: it takes no slot, never waits and loads nothing. */
export function isVisit(method: string, pathWithQuery: string): boolean {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return true;
  const path = withoutQuery(pathWithQuery);
  if (method === 'POST' && path === '/api/show') return true;
  return FOLLOW_UPS.some((followUp) => followUp[0].test(method) && followUp[1].test(path));
}
