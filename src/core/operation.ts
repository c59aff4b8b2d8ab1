/** What a backend is asked for, in the words of the GenAI conventions (`gen_ai.operation.name`) where they have one. */
export type Operation = 'chat' | 'text_completion' | 'embeddings' | 'rerank';

const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['/v1/chat/completions', 'chat'],
  ['/chat/completions', 'chat'],
  ['/v1/responses', 'chat'],
  ['/responses', 'chat'],
  ['/v1/messages', 'chat'],
  ['/api/chat', 'chat'],
  ['/v1/completions', 'text_completion'],
  ['/completions', 'text_completion'],
  ['/completion', 'text_completion'],
  ['/infill', 'text_completion'],
  ['/api/generate', 'text_completion'],
  ['/v1/embeddings', 'embeddings'],
  ['/embeddings', 'embeddings'],
  ['/embedding', 'embeddings'],
  ['/api/embed', 'embeddings'],
  ['/api/embeddings', 'embeddings'],
  ['/rerank', 'rerank'],
  ['/v1/rerank', 'rerank'],
  ['/reranking', 'rerank'],
  ['/v1/reranking', 'rerank'],
  ['/score', 'rerank'],
]);

/** What a request to a backend's `path` (without query) asks for; null when its answer is nothing that is generated or embedded. */
export function operationOf(method: string, path: string): Operation | null {
  return method === 'POST' ? (OPERATIONS.get(path) ?? null) : null;
}
