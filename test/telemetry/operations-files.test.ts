import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { createMetrics } from '../../src/telemetry/metrics.ts';

const DIR = join(import.meta.dirname, '../../docs/operations');
const ALERTS = join(DIR, 'alerts.yaml');
const METRICS_PAGES = ['metrics.md', 'metrics.zh-CN.md'];

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
}

/** Series that the host exposes, with their labels: a histogram has three. */
const series = new Map<string, readonly string[]>();
const families = new Set<string>();

before(async () => {
  const metrics = createMetrics();
  metrics.deliverySettled('t', 'duplicate', 1);
  metrics.deliveryBegan('t', 1);
  metrics.engineEnded('t', 'e', 'returned');
  metrics.hostCallAnswered('c', 1, true);
  metrics.mqttPublished('t', 'forward');
  metrics.settlementDropped('t');
  metrics.laneKilled('r');
  metrics.limitHit('t', 'c');
  metrics.spansSent('exported', 1);
  metrics.circuitOpened('engine', 't', 's');
  const page = await metrics.render({
    inFlight: 1,
    lanes: { lanes: 1, busy: 1, waiting: 1 },
    tenants: [{ tenant: 't', running: 1, waiting: 1, cpuBalanceMs: 1, quarantined: true }],
    outbox: [{ tenant: 't', rows: 1, failed: 1, lagSeconds: 1 }],
    circuits: [{ kind: 'engine', tenant: 't', subject: 's' }],
    backlog: [{ tenant: 't', deadLetters: 1, waiting: 1, queues: [{ queue: 'q', ready: 1, unsettled: 1 }] }],
    pools: [{ tenant: 't', use: 'run', used: 1, size: 1, waiting: 1 }],
    mqttConnections: 1,
    queueConnections: [{ tenant: 't', use: 'publisher', state: 'up' }],
    httpConnections: 1,
  });
  for (const [, name = ''] of page.matchAll(/^# TYPE (\S+)/gm)) families.add(name);
  for (const [, name = '', labels = ''] of page.matchAll(/^(v8host_\w+)(?:\{(.*)\})? /gm)) {
    series.set(
      name,
      [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    );
  }
});

const dashboards = readdirSync(DIR).filter((name) => name.endsWith('.json'));
const dashboardOf = (name: string) => JSON.parse(readFileSync(join(DIR, name), 'utf8')) as Dashboard;
const rules = (): readonly Rule[] => {
  const { groups } = parse(readFileSync(ALERTS, 'utf8')) as { groups: readonly { rules: readonly Rule[] }[] };
  return groups.flatMap((group) => group.rules);
};

/** What of an expression the host does not expose: names of series, and labels in their braces. */
function unknownIn(expr: string): readonly string[] {
  const found: string[] = [];
  for (const [, name = '', braces = ''] of expr.matchAll(/(v8host_\w+)(?:\{([^}]*)\})?/g)) {
    const labels = series.get(name);
    if (labels === undefined) found.push(name);
    for (const [, label = ''] of braces.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
      if (labels !== undefined && !labels.includes(label)) found.push(`${name}{${label}}`);
    }
  }
  return found;
}

describe('dashboards and alert rules', () => {
  it('finds what does not exist', () => {
    assert.deepEqual(unknownIn('rate(v8host_deliveries_total{tenant="a",engine="b"}[5m]) / v8host_no_such'), [
      'v8host_deliveries_total{engine}',
      'v8host_no_such',
    ]);
  });

  for (const name of dashboards) {
    it(`${name} asks for series and labels that exist`, () => {
      const { panels, templating } = dashboardOf(name);
      assert.ok(panels.length > 10);
      for (const { title, targets } of panels) {
        for (const { expr } of targets) {
          assert.match(expr, /v8host_/, title);
          assert.deepEqual(unknownIn(expr), [], `${title}: ${expr}`);
        }
      }
      for (const { query } of templating.list) assert.deepEqual(unknownIn(query), []);
    });
  }

  it('dashboards show every metric of the host', () => {
    const shown = dashboards.map((name) => readFileSync(join(DIR, name), 'utf8')).join('\n');
    assert.deepEqual(
      [...families].filter((name) => !shown.includes(name)),
      [],
    );
    assert.equal(new Set(dashboards.map((name) => dashboardOf(name).uid)).size, dashboards.length);
  });

  it('every alert asks for what exists, has a severity and says what to do', () => {
    const all = rules();
    assert.ok(all.length >= 10);
    assert.equal(new Set(all.map(({ alert }) => alert)).size, all.length);
    for (const { alert, expr, labels, annotations } of all) {
      assert.deepEqual(unknownIn(expr), [], alert);
      assert.match(labels.severity, /^(critical|warning)$/, alert);
      assert.match(annotations.summary, /\p{Script=Han}/u, alert);
      assert.ok(annotations.action.length > 20, alert);
    }
  });

  it('promtool accepts the rules where it is installed', (t) => {
    const checked = spawnSync('promtool', ['check', 'rules', ALERTS], { encoding: 'utf8' });
    if (checked.error === undefined) assert.equal(checked.status, 0, checked.stdout + checked.stderr);
    else t.diagnostic('promtool is not here; names and shapes were checked above');
  });

  for (const path of METRICS_PAGES) {
    it(`${path} has every one of them, and no other`, () => {
      const page = readFileSync(join(DIR, '..', path), 'utf8');
      const rows = [...page.matchAll(/^\| `(v8host_\w+)` \|/gm)].map(([, name = '']) => name);
      assert.deepEqual(rows.toSorted(), [...families].toSorted());
    });
  }
});
