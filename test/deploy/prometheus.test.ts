import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CathedralError } from '../../pipeline/errors.ts';
import { slotTime } from '../../pipeline/ledger/events/slot.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { recordRun } from '../../src/scheduler/record-run.ts';
import { METRICS } from '../../src/sidecar/health/metrics-reference.ts';
import { openKeyStore } from '../../src/sidecar/keys/key-store.ts';
import { hashKey } from '../../src/sidecar/keys/key-text-and-hash.ts';
import { openServices } from '../../src/sidecar/open-services.ts';
import { createApp } from '../../src/sidecar/request/app.ts';
import { closeServer } from '../../src/sidecar/server-address.ts';
import { listen } from '../listen.ts';
import { useFolder } from '../setups/use-folder.ts';
import { DOCUMENTS, liveLedger, VERIFIERS } from '../sidecar/live/live-ledger.ts';
import { until } from '../sidecar/live/until.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const DAY_MS = 86_400_000;
/** The key of the documentation, which is valid in its form. */
const KEY = 'cds_economy_0123456789abcdefghijklmnopqrst';

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; refId: string }[];
}

const folder = useFolder();
let server: Server;
let close: () => Promise<void>;
let url: string;
/** What a real service says after some runs and requests. */
let metrics: string;
let rules: string;
/** Unit tests of the rules, for promtool. */
const UNIT_TESTS = ['alerts.test.yml', 'rotation.test.yml'];
let unitTests: string;
let dashboard: { panels: Panel[]; templating: { list: { name: string }[] } };

const sampleOf = (series: string) =>
  metrics
    .split('\n')
    .find((line) => line.startsWith(`${series} `))
    ?.slice(series.length + 1);
const timeOf = (series: string) => Number(sampleOf(series)) * 1000;

beforeAll(async () => {
  const { ledger, out } = await liveLedger(folder);
  const keys = await openKeyStore(join(folder, 'keys/keys.sqlite'));
  const record = { out, software: 'cathedral-data-service 0.0.0', now: Date.now };
  const fault = new CathedralError('disk_full', { place: out, expected: 'room', found: 'none' });
  await recordRun(record, () => Promise.reject(fault)).catch(() => {});
  for (const [id, days] of [
    ['soon', 3],
    ['later', 20],
    ['far', 90],
    ['over', -1],
  ] as const) {
    const key = {
      id,
      holder: `h_${id}`,
      email: `${id}@example.org`,
      hash: hashKey(`${KEY}${id}`),
      prefix: 'cds_economy_Ab3d',
    };
    const grant = {
      tier: 'economist',
      areas: ['economy'],
      name: '-',
      affiliation: '-',
      purpose: '-',
      volume: null,
      basis: null,
    } as const;
    const at = { issued_at: 0, expires_at: Date.now() + days * DAY_MS, delivered_at: 0, replaces: null };
    await keys.addKey({ ...key, ...grant, areas: ['economy'], ...at });
  }
  await keys.close();
  const config = {
    ...{ out, store: folder },
    ...{ maxActive: 64, documents: DOCUMENTS, companions: null },
    ...{
      baseUrl: 'http://localhost',
      releases: null,
      accessKeyId: null,
      secretAccessKey: null,
      sessionToken: null,
    },
    ...{ trustedProxies: null, simulationOrigins: null, simulationStartsPerClient: 10 },
  };
  const served = {
    followed: {
      ledger,
      verifiers: VERIFIERS,
      imports: { succeededAt: 5000, failures: 2, unread: { line: 3, since: 4000, reason: 'no line end' } },
    },
    software: { version: '1.2.3', commit: '0123456789ab' },
  };
  const cosigned = { size: 5, at: '2026-01-01T00:00:00.000Z' };
  const witnesses = {
    north: { cosigned, asked_at: cosigned.at, fault: null },
    south: { cosigned: null, asked_at: cosigned.at, fault: 'no answer' },
  };
  await writeFile(
    join(config.out, 'witnesses.json'),
    JSON.stringify({ format: 'cathedral-witnesses/1', witnesses }),
  );
  const open = await openServices(config, served, pino({ level: 'silent' }));
  const limits = {
    requestTimeout: 30,
    keepAlive: 5,
    maxConnections: 100,
  };
  server = createApp(open.services, { trustedProxies: null, ...limits });
  close = async () => {
    await open.endStreams();
    await closeServer(server, 0);
    await open.close();
  };
  ({ origin: url } = await listen(server));
  for (const path of [
    'economy/supply',
    'economy/suply',
    'economy/suply',
    'government/compliance-report.json',
  ])
    await (await fetch(`${url}/${path}`)).arrayBuffer();
  await until(async () => {
    metrics = await (await fetch(`${url}/metrics`)).text();
    return sampleOf('cathedral_snapshots') !== 'NaN';
  });
  rules = await read('deploy/prometheus/alerts.yml');
  unitTests = (await Promise.all(UNIT_TESTS.map((name) => read(`test/deploy/${name}`)))).join('');
  dashboard = JSON.parse(await read('deploy/grafana/dashboard.json'));
});

afterAll(() => close());

describe('the metrics of a service', () => {
  test('are those of the documentation, each once', () => {
    const named = [...metrics.matchAll(/^# TYPE (cathedral_\w+) (\w+)$/gm)].map(([, name, type]) => [
      name,
      type,
    ]);
    expect(named.sort()).toEqual(
      Object.entries(METRICS)
        .map(([name, { type = 'gauge' }]) => [name, type])
        .sort(),
    );
  });

  test('say that a run failed, and why', () => {
    expect(sampleOf('cathedral_last_run_outcome{outcome="failed"}')).toBe('1');
    expect(sampleOf('cathedral_last_run_outcome{outcome="published"}')).toBe('0');
    expect(sampleOf('cathedral_last_run_error{code="disk_full"}')).toBe('1');
    expect(Date.now() - timeOf('cathedral_last_run_timestamp_seconds')).toBeLessThan(600_000);
    expect(sampleOf('cathedral_next_run_timestamp_seconds')).toBe('NaN');
  });

  test('tell what is published, sealed and not sealed apart', async () => {
    const { manifest } = (await readCurrent(join(folder, 'out')))!;
    const lines = (await readFile(join(folder, 'ledger/head.ndjson'), 'utf8')).trim().split('\n');
    const timeIn = (line: string) => Date.parse(JSON.parse(line).timestamp);
    expect(timeOf('cathedral_release_timestamp_seconds')).toBe(Date.parse(manifest.timestamp));
    expect(timeOf('cathedral_release_sealed_timestamp_seconds')).toBe(slotTime(manifest.ledger.snapshot));
    expect(timeOf('cathedral_ledger_sealed_timestamp_seconds')).toBe(slotTime(manifest.ledger.snapshot));
    expect(timeOf('cathedral_ledger_unsealed_timestamp_seconds')).toBe(timeIn(lines[0]!));
    expect(timeOf('cathedral_live_timestamp_seconds')).toBe(timeIn(lines.at(-1)!));
    expect(sampleOf('cathedral_import_failures')).toBe('2');
    expect(sampleOf('cathedral_import_success_timestamp_seconds')).toBe('5');
    expect(sampleOf('cathedral_import_unread_timestamp_seconds')).toBe('4');
  });

  test('tell which witness has cosigned what, and when', () => {
    expect(sampleOf('cathedral_witness_cosigned_events{witness="north"}')).toBe('5');
    expect(timeOf('cathedral_witness_cosigned_timestamp_seconds{witness="north"}')).toBe(Date.UTC(2026, 0));
    expect(sampleOf('cathedral_witness_cosigned_events{witness="south"}')).toBe('NaN');
  });

  test('count refusals by code and tier', () => {
    expect(sampleOf('cathedral_http_refusals_total{code="not_found",tier="anonymous"}')).toBe('2');
    expect(sampleOf('cathedral_http_refusals_total{code="key_required",tier="anonymous"}')).toBe('1');
    expect(metrics).not.toContain('code="null"');
  });

  test('have the room on each disk, and what grows', () => {
    for (const name of ['output', 'ledger', 'keys', 'limits', 'access_log', 'temporary']) {
      const [free, size] = ['free', 'size'].map((what) =>
        Number(sampleOf(`cathedral_disk_${what}_bytes{folder="${name}"}`)),
      );
      expect(size).toBeGreaterThanOrEqual(free!);
      expect(free).toBeGreaterThan(0);
    }
    expect(sampleOf('cathedral_snapshots')).toBe('0');
    expect(Number(sampleOf('cathedral_access_log_bytes'))).toBeGreaterThan(0);
  });

  test('count the API keys in use that expire', () => {
    const expiring = ['1', '7', '30'].map((days) => sampleOf(`cathedral_api_keys_expiring{days="${days}"}`));
    expect([sampleOf('cathedral_api_keys'), ...expiring]).toEqual(['3', '0', '1', '2']);
  });
});

const alerts = () => [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name!);
const queries = () => dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

describe('the alerts', () => {
  test('each have a runbook, and a unit test that raises them', async () => {
    const runbooks = await read('docs/troubleshooting.md');
    const anchors = [...runbooks.matchAll(/^### (\w+)$/gm)].map(
      ([, name]) => `docs/troubleshooting.md#${name!.toLowerCase()}`,
    );
    const named = [...rules.matchAll(/runbook: (.+)$/gm)].map(([, place]) => place!);
    expect(named).toHaveLength(alerts().length);
    expect([...new Set(named)].sort()).toEqual(anchors.sort());
    for (const name of alerts()) {
      const [, raised] =
        new RegExp(`alertname: ${name}\n +exp_alerts:\n +- exp_labels: (.+)`).exec(unitTests) ?? [];
      expect(raised, name).toContain('severity');
    }
  });

  // promtool, which is not installed everywhere, compares them exactly.
  test('say what their unit tests expect', async () => {
    const said = [...rules.matchAll(/alert: (\w+).*?summary: (?:>-)?(.*?)\n +runbook:/gs)];
    expect(said.map(([, name]) => name)).toEqual(alerts());
    for (const [, name, summary] of said) {
      const words = summary!
        .trim()
        .replace(/^(["'])(.*)\1$/, '$2')
        .replaceAll(/\s+/g, ' ')
        .split(/\{\{.*?\}\}/);
      const asSaid = new RegExp(`^${words.map(RegExp.escape).join('.*')}$`);
      const expected = [
        ...unitTests.matchAll(new RegExp(`alertname: ${name}\\b[\\s\\S]*?summary: ["'](.*)["']`, 'g')),
      ];
      for (const [, text] of expected) expect(text, name).toMatch(asSaid);
    }
  });
});

describe('the dashboard', () => {
  test('asks for each of the five questions', () => {
    expect(dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
      'Did a run fail, and why?',
      'Are the data stale, or is the ledger quiet?',
      'Are readers refused?',
      'Is the disk filling?',
      'Which keys expire?',
    ]);
  });
});

const promtool = (...args: string[]) =>
  spawnSync('promtool', args, { cwd: import.meta.dirname, encoding: 'utf8' });

// Part of Debian's package prometheus, which has 96 MB: not installed for tests.
describe.skipIf(promtool('--version').error)('promtool', () => {
  test('accepts the metrics, the alerts and their unit tests', () => {
    const lint = spawnSync('promtool', ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
    expect(lint.stderr.split('\n').filter((line) => line.startsWith('cathedral_'))).toEqual([]);
    expect(promtool('check', 'rules', '../../deploy/prometheus/alerts.yml')).toMatchObject({ status: 0 });
    expect(promtool('test', 'rules', ...UNIT_TESTS)).toMatchObject({ status: 0 });
  });

  test('parses every query of the dashboard', async () => {
    const plain = queries().map((expr) =>
      expr.replaceAll('$instance', '.+').replaceAll('$__rate_interval', '5m'),
    );
    const rows = plain.map(
      (expr, index) => `      - record: query:${index}\n        expr: ${JSON.stringify(expr)}`,
    );
    const file = join(folder, 'queries.yml');
    await writeFile(file, `groups:\n  - name: dashboard\n    rules:\n${rows.join('\n')}\n`);
    expect(promtool('check', 'rules', file)).toMatchObject({ status: 0, stderr: '' });
  });
});
