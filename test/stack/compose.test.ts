import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { findDockerCompose, readStack, type Stack } from '../rig/dockerCompose.ts';
import { readYaml } from './yamlFile.ts';

const DEMO = ['jano', 'load'];
const ALWAYS = ['grafana', 'otel-collector', 'prometheus'];

/** What a user may put in front of `docker compose up`, and what has to come of it. */
const VARIANTS = [
  { words: {}, target: 'jano:8082', store: 'jaeger', services: [...DEMO, ...ALWAYS, 'jaeger'] },
  {
    words: { JANO: 'host' },
    target: 'host.docker.internal:8082',
    store: 'jaeger',
    services: [...ALWAYS, 'jaeger'],
  },
  {
    words: { TRACES: 'tempo' },
    target: 'jano:8082',
    store: 'tempo',
    services: [...DEMO, ...ALWAYS, 'tempo'],
  },
  {
    words: { JANO: 'host', TRACES: 'tempo' },
    target: 'host.docker.internal:8082',
    store: 'tempo',
    services: [...ALWAYS, 'tempo'],
  },
] as const;

/** These have nothing to ask: an image without a shell, and a program that does not listen. */
const WITHOUT_HEALTHCHECK: ReadonlySet<string> = new Set(['otel-collector', 'load']);

const tool = await findDockerCompose();
const skip = tool.kind === 'missing' && tool.reason;
const dockerCompose = tool.kind === 'found' ? tool.path : '';

for (const { words, target, store, services } of VARIANTS) {
  const told = Object.entries(words).map(([name, value]) => `${name}=${value} `);
  const command = `${told.join('')}docker compose up`;

  test(`${command} starts what it says, and nothing else`, { skip }, async () => {
    const stack = await readStack(dockerCompose, words);

    assert.deepEqual(new Set(Object.keys(stack.services)), new Set(services));
  });

  test(`${command}: Prometheus asks one Jano, the one that runs`, { skip }, async () => {
    const stack = await readStack(dockerCompose, words);

    const file = configAt(stack, 'prometheus', '/etc/prometheus/target.yml');
    assert.deepEqual(readYaml(file), [{ targets: [target] }]);
  });

  test(
    `${command}: traces go to the store that runs, and Grafana looks there`,
    { skip },
    async () => {
      const stack = await readStack(dockerCompose, words);

      const sendsTo = stack.services['otel-collector']?.environment['TRACES_ENDPOINT'];
      const datasource = '/etc/grafana/provisioning/datasources/traces.yaml';
      assert.equal(sendsTo, `${store}:4317`);
      assert.equal(basename(configAt(stack, 'grafana', datasource)), `${store}.yaml`);
    },
  );

  test(
    `${command}: what is mounted is there, a file as a file and a folder as a folder`,
    { skip },
    async () => {
      const stack = await readStack(dockerCompose, words);

      const mounts = Object.entries(stack.services).flatMap(([name, { volumes, configs }]) => [
        ...volumes.filter(({ type }) => type === 'bind'),
        ...configs.map((config) => ({ ...config, source: configAt(stack, name, config.target) })),
      ]);
      const wrong = mounts.filter(({ source, target: at }) => kindOf(source) !== meantBy(at));
      assert.ok(mounts.length > 5);
      assert.deepEqual(wrong, []);
    },
  );

  test(`${command}: every service is careful`, { skip }, async () => {
    const stack = await readStack(dockerCompose, words);

    for (const [name, service] of Object.entries(stack.services)) {
      assert.match(service.image, /:(?!latest$)[\w.-]+$/, name);
      assert.doesNotMatch(service.user ?? 'root', /^(?:root|0)(?::|$)/, name);
      assert.equal(service.init, true, name);
      assert.equal(service.restart, 'unless-stopped', name);
      assert.equal(service.privileged ?? false, false, name);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
      for (const { host_ip } of service.ports) assert.equal(host_ip, '127.0.0.1', name);
    }
  });

  test(`${command}: who can be asked for its health is`, { skip }, async () => {
    const stack = await readStack(dockerCompose, words);

    for (const [name, { healthcheck, build }] of Object.entries(stack.services)) {
      const isAsked =
        healthcheck?.disable !== true &&
        (healthcheck?.test !== undefined ||
          (build !== undefined && hasHealthcheck(join(build.context, build.dockerfile))));
      assert.equal(isAsked, !WITHOUT_HEALTHCHECK.has(name), name);
    }
  });

  test(`${command}: what has to outlive a container is on a named volume`, { skip }, async () => {
    const { services: all, volumes } = await readStack(dockerCompose, words);

    const used = Object.values(all).flatMap((service) =>
      service.volumes.filter(({ type }) => type === 'volume').map(({ source }) => source),
    );
    const kept = ['grafana', 'prometheus', ...(store === 'tempo' ? ['tempo'] : [])];
    assert.deepEqual(used.toSorted(), kept);
    assert.deepEqual(new Set(Object.keys(volumes)), new Set(kept));
  });
}

test('a word that docker-compose.yml does not know starts nothing', { skip }, async () => {
  await assert.rejects(readStack(dockerCompose, { TRACES: 'zipkin' }), /traces-zipkin\.yml/);
  await assert.rejects(readStack(dockerCompose, { JANO: 'elsewhere' }), /jano-elsewhere\.yml/);
});

/** The path of the file that a service finds there. */
function configAt(stack: Stack, name: string, target: string): string {
  const config = stack.services[name]?.configs.find((candidate) => candidate.target === target);
  const file = stack.configs[config?.source ?? '']?.file;
  assert.ok(file !== undefined, `${name} has no config at ${target}`);
  return file;
}

function kindOf(path: string): 'file' | 'folder' | 'nothing' {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'nothing';
  return stat.isFile() ? 'file' : 'folder';
}

function meantBy(target: string): 'file' | 'folder' {
  return basename(target).includes('.') ? 'file' : 'folder';
}

function hasHealthcheck(dockerfile: string): boolean {
  return /^HEALTHCHECK (?!NONE)/m.test(readFileSync(dockerfile, 'utf8'));
}
