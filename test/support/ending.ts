import type { TestContext } from 'node:test';

/** What ends, as a test does, or a script that has started the same things. */
export type Ending = Pick<TestContext, 'after'>;
