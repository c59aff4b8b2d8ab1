import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { findDockerCompose, readStack, type Stack } from '../rig/dockerCompose.ts';
import { readYaml } from './yamlFile.ts';

const DEMO = ['jano', 'load', 'prometheus'];
const OF_HOST = ['prometheus-of-host'];
const ALWAYS = ['grafana', 'otel-collector'];

/** What a user may ask for, and what has to come of it. */
const VARIANTS = [
  { profile: null, target: 'jano:8082', store: 'jaeger', others: DEMO },
  { profile: 'tempo', target: 'jano:8082', store: 'tempo', others: DEMO },
  { profile: 'stack', target: 'host.docker.internal:8082', store: 'jaeger', others: OF_HOST },
  { profile: 'stack-tempo', target: 'host.docker.internal:8082', store: 'tempo', others: OF_HOST },
] as const;

/** These have nothing to ask: an image without a shell, and a program that does not listen. */
const WITHOUT_HEALTHCHECK: ReadonlySet<string> = new Set(['otel-collector', 'load']);

const tool = await findDockerCompose();
const skip = tool.kind === 'missing' && tool.reason;
const dockerCompose = tool.kind === 'found' ? tool.path : '';

for (const { profile, target, store, others } of VARIANTS) {
  const command = `docker compose ${profile === null ? '' : `--profile ${profile} `}up`;

  test(`${command} starts what it says, and nothing else`, { skip }, async () => {
    const { services } = await readStack(dockerCompose, profile);

    assert.deepEqual(new Set(Object.keys(services)), new Set([...others, ...ALWAYS, store]));
  });

  test(`${command}: Prometheus asks one Jano, the one that runs`, { skip }, async () => {
    const { services } = await readStack(dockerCompose, profile);

    const prometheus = theOneCalled('prometheus', services);
    const file = services[prometheus]?.volumes.find(({ target: at }) => at.endsWith('/target.yml'));
    const hosts = services[prometheus]?.extra_hosts ?? [];
    assert.deepEqual(readYaml(file?.source ?? ''), [{ targets: [target] }]);
    assert.equal(hosts.includes('host.docker.internal=host-gateway'), others === OF_HOST);
  });

  test(`${command}: traces go to the store that runs`, { skip }, async () => {
    const { services } = await readStack(dockerCompose, profile);

    assert.equal(theOneCalled('traces', services), store);
    assert.equal(services['otel-collector']?.environment['TRACES_ENDPOINT'], 'traces:4317');
  });

  test(
    `${command}: what is mounted is there, file for file and folder for folder`,
    { skip },
    async () => {
      const { services } = await readStack(dockerCompose, profile);

      const mounts = Object.values(services)
        .flatMap(({ volumes }) => volumes)
        .filter(({ type }) => type === 'bind');
      const wrong = mounts.filter(({ source, target: at }) => kindOf(source) !== meantBy(at));
      assert.ok(mounts.length > 5);
      assert.deepEqual(wrong, []);
    },
  );

  test(`${command}: every service is careful`, { skip }, async () => {
    const stack = await readStack(dockerCompose, profile);

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
    const stack = await readStack(dockerCompose, profile);

    for (const [name, { healthcheck, build }] of Object.entries(stack.services)) {
      const isAsked =
        healthcheck?.disable !== true &&
        (healthcheck?.test !== undefined ||
          (build !== undefined && hasHealthcheck(join(build.context, build.dockerfile))));
      assert.equal(isAsked, !WITHOUT_HEALTHCHECK.has(name), name);
    }
  });

  test(`${command}: what has to outlive a container is on a named volume`, { skip }, async () => {
    const { services: all, volumes } = await readStack(dockerCompose, profile);

    const used = Object.values(all).flatMap((service) =>
      service.volumes.filter(({ type }) => type === 'volume').map(({ source }) => source),
    );
    const kept = ['grafana', 'prometheus', ...(store === 'tempo' ? ['tempo'] : [])];
    assert.deepEqual(used.toSorted(), kept);
    assert.deepEqual(new Set(Object.keys(volumes)), new Set(kept));
  });
}

/** The service that others reach under that name; of two, one would answer by chance. */
function theOneCalled(wanted: string, services: Stack['services']): string {
  const called = Object.entries(services).filter(
    ([name, { networks }]) =>
      name === wanted || networks['default']?.aliases.includes(wanted) === true,
  );
  assert.equal(called.length, 1, wanted);
  return called[0]?.[0] ?? '';
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
