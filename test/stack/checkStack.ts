// The committed otel-collector.yaml in a real collector, a real Jaeger behind it, and the program itself in front:
//   npm run check:stack
// Where they cannot be built it says "not run", and ends with a code of its own.
import { findGoProgram, type GoProgram } from '../rig/goTool.ts';
import { JAEGER } from './jaeger.ts';
import { OTEL_COLLECTOR } from './otelCollector.ts';
import { playStack } from './stackStory.ts';

/** Neither shown nor refuted. */
const NOT_RUN = 3;

const collector = await find(OTEL_COLLECTOR);
const jaeger = collector === null ? null : await find(JAEGER);
if (collector !== null && jaeger !== null) playStack({ collector, jaeger });

/** Its path, or null once it was told why there is none. */
async function find(program: GoProgram): Promise<string | null> {
  const tool = await findGoProgram(program, print);
  if (tool.kind === 'found') {
    print(`${program.name} ${program.version}: ${tool.path}`);
    return tool.path;
  }
  print(`not run: ${tool.reason}`);
  process.exitCode = NOT_RUN;
  return null;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
