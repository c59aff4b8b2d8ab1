import { decide, type Decision } from '../../../src/core/policy/decide.ts';
import { applyEvent, type PolicyEvent } from '../../../src/core/policy/events.ts';
import { defaultPolicy, type PolicySettings } from '../../../src/core/policy/settings.ts';
import {
  createPolicyState,
  type ModelSettings,
  type ModelState,
  modelState,
  type PolicyState,
  type ReplyKind,
} from '../../../src/core/policy/state.ts';

const MOST_DECISIONS = 100;

/** A state of the policy that a test brings to where it wants it. Requests are numbered from 1, callers named after them. */
export class Stage {
  readonly state: PolicyState;
  #lastId = 0;

  /** Models by name; each fills the memory and has four slots unless told otherwise. */
  constructor(
    models: Readonly<Record<string, Partial<ModelSettings>>>,
    options: { memoryBudget?: number; settings?: Partial<PolicySettings> } = {},
  ) {
    const settings = Object.entries(models).map(([model, more]) => {
      return { model, memory: 1, pinned: false, ttlMs: 0, parallel: 4, ...more };
    });
    const { memoryBudget = 1 } = options;
    this.state = createPolicyState(settings, memoryBudget, {
      ...defaultPolicy,
      ...options.settings,
    });
  }

  model(name: string): ModelState {
    return modelState(this.state, name);
  }

  /** The model is resident, its turn begins. */
  resident(model: string, at = 0): void {
    this.happen({ kind: 'seenResident', model }, at);
  }

  /** A swap to the model is known to take that long. */
  measured(model: string, swapMs: number): void {
    this.model(model).swapMs = swapMs;
  }

  /** A request comes. */
  queue(model: string, at: number, caller?: string): number {
    const id = ++this.#lastId;
    this.happen({ kind: 'queued', id, model, caller: caller ?? `caller${id}` }, at);
    return id;
  }

  /** A running request ends; without a caller, that of request 1. */
  finish(model: string, at: number, caller = 'caller1', reply: ReplyKind = 'plain'): void {
    this.happen({ kind: 'finished', model, caller, reply, hasServed: true, mayGoOn: false }, at);
  }

  /** A request comes, runs and ends. */
  serve(model: string, at: number, caller: string, reply: ReplyKind = 'plain'): void {
    const id = this.queue(model, at, caller);
    this.happen({ kind: 'forwarded', id, model }, at);
    this.finish(model, at, caller, reply);
  }

  swapEnded(outcome: 'ok' | 'script_failed' | 'timeout', at: number, ms = 20_000): void {
    this.happen({ kind: 'swapEnded', outcome, ms }, at);
  }

  probeEnded(model: string, isHealthy: boolean, at: number): void {
    this.happen({ kind: 'probeEnded', model, isHealthy }, at);
  }

  happen(event: PolicyEvent, at: number): void {
    applyEvent(this.state, event, at);
  }

  /** What the policy decides now; nothing of it is done. */
  decide(at: number): Decision {
    return decide(this.state, at);
  }

  /** Does what the policy decides until it waits, and tells it in short. */
  run(at: number): string[] {
    const told: string[] = [];
    while (told.length < MOST_DECISIONS) {
      const decision = this.decide(at);
      told.push(inShort(decision));
      if (decision.kind === 'wait') return told;
      this.happen(began(decision), at);
    }
    throw new Error(`decides without end: ${told.slice(-5).join(', ')}`);
  }
}

function inShort(decision: Decision): string {
  switch (decision.kind) {
    case 'forward':
      return `forward ${decision.id}`;
    case 'reject':
      return `reject ${decision.id}: ${decision.reason}`;
    case 'probe':
    case 'unload':
      return `${decision.kind} ${decision.model}`;
    case 'swap':
      return [`swap ${decision.load}`, ...decision.unload].join(' for ');
    case 'wait':
      return decision.until === null ? 'wait' : `wait until ${decision.until}`;
  }
}

function began(decision: Exclude<Decision, { kind: 'wait' }>): PolicyEvent {
  switch (decision.kind) {
    case 'forward':
      return { ...decision, kind: 'forwarded' };
    case 'reject':
      return { ...decision, kind: 'left' };
    case 'probe':
      return { ...decision, kind: 'probeBegan' };
    case 'swap':
      return { ...decision, kind: 'swapBegan' };
    case 'unload':
      return { ...decision, kind: 'unloadBegan' };
  }
}
