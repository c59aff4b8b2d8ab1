import type { Act, CreatePolicy, ModelView, View } from './simPolicy.ts';

const WAIT: Act = { kind: 'wait', until: null };

/** Strict order of arrival; neighbours for the same model run side by side. */
export const fifo: CreatePolicy = () => ({
  name: 'fifo',
  decide(view) {
    const head = view.waiting[0];
    if (head === undefined) return WAIT;
    const model = modelOf(view, head.model);
    if (model.presence !== 'resident') return swapTo(view, model);
    return model.inFlight < model.parallel ? { kind: 'forward', id: head.id } : WAIT;
  },
});

/** The original Jano: one request in flight in all; the next one for the resident model, else the oldest. */
export const originalJano: CreatePolicy = () => ({
  name: 'original',
  decide(view) {
    if ([...view.models.values()].some((model) => model.inFlight > 0)) return WAIT;
    const next = view.waiting.find(({ model }) => isResident(view, model)) ?? view.waiting[0];
    if (next === undefined) return WAIT;
    if (isResident(view, next.model)) return { kind: 'forward', id: next.id };
    return swapTo(view, modelOf(view, next.model));
  },
});

/** llama-swap: what is for the resident model goes to it without limit, its server queues; else the oldest swaps. */
export const llamaSwap: CreatePolicy = () => ({
  name: 'llama-swap',
  decide(view) {
    const next = view.waiting.find(({ model }) => isResident(view, model));
    if (next !== undefined) return { kind: 'forward', id: next.id };
    const head = view.waiting[0];
    return head === undefined ? WAIT : swapTo(view, modelOf(view, head.model));
  },
});

/** A swap to an absent model once the least recently used ones that must leave are free. */
function swapTo(view: View, target: ModelView): Act {
  const models = [...view.models.values()];
  if (models.some((model) => model.presence === 'loading')) return WAIT;
  const residents = models
    .filter((model) => model.presence === 'resident')
    .toSorted((a, b) => a.usedAt - b.usedAt);
  let held = residents.reduce((sum, model) => sum + model.memory, target.memory);
  const unload: string[] = [];
  for (const model of residents) {
    if (held <= view.memoryBudget) break;
    if (model.inFlight > 0) return WAIT;
    held -= model.memory;
    unload.push(model.model);
  }
  return { kind: 'swap', load: target.model, unload };
}

function isResident(view: View, model: string): boolean {
  return modelOf(view, model).presence === 'resident';
}

function modelOf(view: View, model: string): ModelView {
  const found = view.models.get(model);
  if (found === undefined) throw new Error(`no model "${model}"`);
  return found;
}
