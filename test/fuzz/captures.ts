import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const texts = z.record(z.string(), z.string());
const file = readFileSync(join(import.meta.dirname, 'captures.json'), 'utf8');
const captures = z.object({ requests: texts, answers: texts }).parse(JSON.parse(file));

/** What was sent to a real llama-server, as latin1. */
export const requestTexts: readonly string[] = Object.values(captures.requests);

/** What a real llama-server answered, as latin1. */
export const answerTexts: readonly string[] = Object.values(captures.answers);
