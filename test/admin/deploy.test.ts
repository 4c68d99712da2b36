/** The files of deploy/, compose.yaml and Dockerfile name only what exists: routes, ports, settings, files, namespaces. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { createAdminServer } from '../../src/admin/server.ts';
import { SETTING_LIST } from '../../src/config/setting-list.ts';
import { FakeServices, MemoryLog } from './fake-services.ts';
import { NO_IDENTITY } from './no-identity.ts';

const ROOT = join(import.meta.dirname, '../..');
const KUBERNETES = join(ROOT, 'deploy/kubernetes');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: manifests have any shape
type Manifest = any;

const manifests: readonly Manifest[] = readdirSync(KUBERNETES).flatMap((file) =>
  parseAllDocuments(readFileSync(join(KUBERNETES, file), 'utf8')).map((document) => {
    assert.deepEqual(document.errors, [], file);
    return document.toJS() as Manifest;
  }),
);
const ofKind = (kind: string): Manifest => {
  const [found, ...more] = manifests.filter((manifest) => manifest.kind === kind);
  assert.ok(found !== undefined && more.length === 0, kind);
  return found;
};

const VARIABLES = new Map(SETTING_LIST.map((setting) => [setting.variable, setting]));
/** Between hosts that share a broker; nobody else has business there. */
const SHARED_PORT = '7883';
const presetOf = (path: string): unknown => SETTING_LIST.find((setting) => setting.path === path)?.preset;

/** Refuses a variable that the host would refuse at its start, and a secret that is written out. */
function assertVariable(name: string): void {
  const setting = VARIABLES.get(name.replace(/_FILE$/, '')) ?? VARIABLES.get(name);
  assert.ok(setting !== undefined, `${name} is no setting`);
  const isSecret = /password|token|Url$/i.test(setting.path) && !/publicUrl|tokenHours/.test(setting.path);
  assert.ok(!isSecret || name.endsWith('_FILE'), `${name} is a secret and must come as a file`);
}

/** Asks the host's own server. */
async function statusOf(path: string): Promise<number> {
  const server = createAdminServer({
    services: new FakeServices(),
    identity: NO_IDENTITY,
    token: 'token-of-the-deploy-test',
    lang: 'en',
    timezone: 'UTC',
    log: new MemoryLog(),
  });
  const { statusCode } = await server.inject({ method: 'GET', url: path });
  await server.close();
  return statusCode;
}

describe('Kubernetes', () => {
  const pod = (): Manifest => ofKind('StatefulSet').spec.template.spec;
  const container = (): Manifest => pod().containers[0];
  const config = (): Record<string, string> => ofKind('ConfigMap').data;

  it('lists every manifest, and no other', () => {
    const files = readdirSync(KUBERNETES).filter((file) => file !== 'kustomization.yaml');
    assert.deepEqual(ofKind('Kustomization').resources.toSorted(), files.toSorted());
  });

  it('sets only what the configuration knows, secrets as files of the mounted secret', () => {
    for (const [name, value] of Object.entries(config())) {
      assertVariable(name);
      assert.equal(typeof value, 'string', name);
      const mount = container().volumeMounts.find(({ name }: { name: string }) => name === 'secrets').mountPath;
      if (name.endsWith('_FILE')) assert.ok(value.startsWith(`${mount}/`), name);
    }
  });

  it('probes paths that answer', async () => {
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path, port } = container()[probe].httpGet;
      assert.equal(await statusOf(path), 200, path);
      assert.ok(container().ports.some(({ name }: { name: string }) => name === port));
    }
    assert.equal(await statusOf('/no-such-probe'), 404);
    assert.equal(container().readinessProbe.httpGet.path, '/readyz');
    assert.equal(container().livenessProbe.httpGet.path, '/livez', 'a database that is away must not restart hosts');
  });

  it('has the ports of the configuration everywhere', () => {
    const ports = Object.fromEntries(
      container().ports.map((port: Manifest) => [port.name, String(port.containerPort)]),
    ) as Record<string, string>;
    assert.deepEqual(ports, { http: config().V8HOST_HTTP_PORT, mqtt: config().V8HOST_MQTT_PORT });
    const services = manifests.filter(({ kind }) => kind === 'Service');
    for (const { metadata, spec } of services) {
      assert.deepEqual(spec.selector, ofKind('StatefulSet').spec.selector.matchLabels);
      for (const { targetPort } of spec.ports) assert.ok(targetPort in ports, metadata.name);
    }
    assert.ok(services.some(({ metadata }) => metadata.name === ofKind('StatefulSet').spec.serviceName));
    const open = ofKind('NetworkPolicy').spec.ingress.flatMap(({ ports }: Manifest) => ports);
    assert.deepEqual(
      open.map(({ port }: Manifest) => String(port)),
      [ports.http, ports.mqtt, SHARED_PORT],
    );
    assert.equal(String(presetOf('mqtt.shared.port')), SHARED_PORT);
    const between = ofKind('NetworkPolicy').spec.ingress.find(({ from }: Manifest) => from?.[0]?.podSelector);
    assert.deepEqual(between.from, [{ podSelector: ofKind('StatefulSet').spec.selector }], 'hosts alone');
    assert.deepEqual(between.ports, [{ protocol: 'TCP', port: Number(SHARED_PORT) }]);
  });

  it('runs as non-root, read-only, without capabilities and without a token of the cluster', () => {
    assert.equal(pod().securityContext.runAsNonRoot, true);
    assert.ok(pod().securityContext.runAsUser > 0);
    assert.equal(pod().automountServiceAccountToken, false);
    const { securityContext } = container();
    assert.equal(securityContext.readOnlyRootFilesystem, true);
    assert.equal(securityContext.allowPrivilegeEscalation, false);
    assert.deepEqual(securityContext.capabilities, { drop: ['ALL'] });
  });

  it('gives the drain its time', () => {
    const wait = container().lifecycle.preStop.sleep.seconds + Number(config().V8HOST_DRAIN_SECONDS);
    assert.ok(pod().terminationGracePeriodSeconds > wait);
  });

  it('keeps, scales and limits the pods of the set', () => {
    const labels = ofKind('StatefulSet').spec.template.metadata.labels;
    assert.deepEqual(ofKind('PodDisruptionBudget').spec.selector.matchLabels, labels);
    assert.deepEqual(ofKind('NetworkPolicy').spec.podSelector.matchLabels, labels);
    const { scaleTargetRef, minReplicas } = ofKind('HorizontalPodAutoscaler').spec;
    assert.deepEqual([scaleTargetRef.kind, scaleTargetRef.name], ['StatefulSet', ofKind('StatefulSet').metadata.name]);
    assert.ok(minReplicas >= 2);
    const memory = Number.parseInt(container().resources.limits.memory, 10);
    const lanes = Number(config().V8HOST_SANDBOX_LANES) + 1;
    assert.ok(memory > lanes * Number(presetOf('sandbox.rssMb')), 'lanes at their own limit fit into the pod');
  });

  it('reaches no private network but the stores', () => {
    const blocks = ofKind('NetworkPolicy')
      .spec.egress.flatMap(({ to }: Manifest) => to)
      .filter(({ ipBlock }: Manifest) => ipBlock);
    assert.equal(blocks.length, 1);
    for (const range of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '127.0.0.0/8']) {
      assert.ok(blocks[0].ipBlock.except.includes(range), range);
    }
  });

  it('asks the autoscaler for a metric that docs/deploy.md makes', () => {
    const names = ofKind('HorizontalPodAutoscaler').spec.metrics.flatMap(({ external }: Manifest) =>
      external === undefined ? [] : [external.metric.name],
    );
    for (const name of names) assert.ok(read('docs/deploy.md').includes(`as: ${name}`), name);
    assert.equal(names.length, 1);
  });
});

describe('systemd', () => {
  const unit = read('deploy/systemd/v8host.service');
  const values = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  it('starts a file that exists, as a user, with settings that exist', () => {
    const [command = ''] = values('ExecStart');
    const [, program = ''] = /\/opt\/v8host\/(src\/\S+)/.exec(command) ?? [];
    assert.ok(existsSync(join(ROOT, program)), command);
    assert.match(command, / start --config /);
    assert.deepEqual(values('User'), ['v8host']);
    for (const value of values('Environment')) {
      const [name = ''] = value.split('=');
      if (name !== 'NODE_ENV') assertVariable(name);
    }
  });

  it('waits longer than the drain and does not restart what a restart cannot mend', () => {
    assert.ok(Number(values('TimeoutStopSec')[0]) > Number(presetOf('drainSeconds')));
    assert.deepEqual(values('RestartPreventExitStatus'), ['2 4']);
    assert.deepEqual(values('MemoryDenyWriteExecute'), []);
    assert.deepEqual(values('NoNewPrivileges'), ['yes']);
  });
});

describe('the image', () => {
  const dockerfile = read('Dockerfile');
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

  it('runs as a user, has a health check on a path that answers and a program that exists', async () => {
    assert.match(last, /^USER (?!root|0)\w+$/m);
    const [, path = ''] = /HEALTHCHECK[\s\S]*?\}(\/\w+)`/.exec(last) ?? [];
    assert.equal(await statusOf(path), 200, path);
    const [, program = ''] = /^ENTRYPOINT \["node", "\/app\/(.+)"\]$/m.exec(last) ?? [];
    assert.ok(existsSync(join(ROOT, program)), program);
    assert.match(last, new RegExp(`^EXPOSE ${presetOf('http.port')}$`, 'm'));
    for (const [name] of last.matchAll(/V8HOST_\w+(?==)/g)) assertVariable(name);
  });

  it('copies what the ignore file lets in, and that is all there is', () => {
    const [everything, ...let_in] = read('.dockerignore').trim().split('\n');
    assert.equal(everything, '**');
    const allowed = let_in.map((line) => line.replace(/^!/, ''));
    for (const path of allowed) assert.ok(existsSync(join(ROOT, path)), path);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );
    for (const path of copied) assert.ok(allowed.includes(path), `${path} is not let in`);
    assert.deepEqual(
      allowed.filter((path) => /data|secret|\.env|\.git/.test(path)),
      [],
    );
  });

  it('has every folder beside src that the code reads', () => {
    const sources = globSync('src/**/*.ts', { cwd: ROOT }).map(read).join('\n');
    const folders = ['templates', 'runtime-types', 'scripts-sample', 'deploy', 'docs'];
    const used = folders.filter((folder) => new RegExp(`['"](?:\\.\\./)*${folder}/`).test(sources));
    assert.ok(used.includes('templates') && used.includes('runtime-types'), used.join());
    for (const folder of used) assert.match(last, new RegExp(`^COPY ${folder} \\./${folder}$`, 'm'), folder);
  });

  it('compose sets what the configuration knows, keeps the port local and the container closed', () => {
    const { services, volumes } = parse(read('compose.yaml')) as Manifest;
    const { host } = services;
    for (const name of Object.keys(host.environment)) assertVariable(name);
    assert.deepEqual(host.ports, [`127.0.0.1:${presetOf('http.port')}:${presetOf('http.port')}`]);
    assert.deepEqual([host.read_only, host.cap_drop, host.security_opt], [true, ['ALL'], ['no-new-privileges:true']]);
    assert.ok(Number.parseInt(host.stop_grace_period, 10) > Number(presetOf('drainSeconds')));
    for (const mount of host.volumes) assert.ok(mount.split(':')[0] in volumes, mount);
  });
});
