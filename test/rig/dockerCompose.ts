import { join } from 'node:path';
import { z } from 'zod';
import { findTool, run, type Tool } from './tool.ts';

const REPOSITORY = join(import.meta.dirname, '../..');

const mount = z.object({ type: z.string(), source: z.string(), target: z.string() });

const service = z.object({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  command: z.array(z.string()).nullish(),
  user: z.string().optional(),
  init: z.boolean().optional(),
  privileged: z.boolean().optional(),
  restart: z.string().optional(),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string().nullable()).default({}),
  ports: z.array(z.object({ host_ip: z.string().optional() })).default([]),
  volumes: z.array(mount).default([]),
  networks: z.record(z.string(), z.object({ aliases: z.array(z.string()).default([]) }).nullable()),
  extra_hosts: z.array(z.string()).default([]),
  healthcheck: z
    .object({ test: z.array(z.string()).optional(), disable: z.boolean().optional() })
    .optional(),
});

const stack = z.object({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.unknown()).default({}),
});

/** What docker-compose.yml comes to. */
export type Stack = z.infer<typeof stack>;

/** docker-compose 2: $DOCKER_COMPOSE, else as installed into .cache; see `findTool`. It reads files without an engine. */
export function findDockerCompose(): Promise<Tool> {
  return findTool({
    name: 'docker-compose',
    folder: 'docker-compose',
    path: 'bin/docker-compose',
    elsewhere: null,
    named: process.env['DOCKER_COMPOSE'],
    check: (path) => run(path, ['version']),
  });
}

/** The stack that `docker compose up` starts with this profile, or with none, as this docker-compose has it; rejects with what is wrong. */
export async function readStack(dockerCompose: string, profile: string | null): Promise<Stack> {
  // Without the user's own variables and .env, which may name other profiles.
  const args = ['--env-file', '/dev/null', ...(profile === null ? [] : ['--profile', profile])];
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  const options = { cwd: REPOSITORY, env };
  const { stdout } = await run(dockerCompose, [...args, 'config', '--format', 'json'], options);
  return stack.parse(JSON.parse(stdout));
}
