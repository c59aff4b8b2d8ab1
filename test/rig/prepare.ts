// Before the tests, so that fetching counts against the time of none of them.
import { findDockerCompose } from './dockerCompose.ts';
import { findFaketime } from './faketime.ts';
import { findLlamaServer } from './llamaServer.ts';
import { findPrometheus } from './prometheus.ts';
import type { Tool } from './tool.ts';

report('llama-server', await findLlamaServer());
report('libfaketime', await findFaketime());
report('Prometheus', await findPrometheus());
report('docker-compose', await findDockerCompose());

function report(name: string, tool: Tool): void {
  process.stdout.write(
    tool.kind === 'found'
      ? `tests use ${tool.path}\n`
      : `no ${name}, so the tests that need one are skipped: ${tool.reason}\n`,
  );
}
