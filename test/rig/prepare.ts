// Before the tests, so that fetching counts against the time of none of them.
import { findLlamaServer } from './llamaServer.ts';

const server = await findLlamaServer();
const found = server.kind === 'found';
process.stdout.write(
  found
    ? `tests use ${server.path}\n`
    : `no llama-server, so the tests that need one are skipped: ${server.reason}\n`,
);
