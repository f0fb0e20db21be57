import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { command, openServer } from './http/seam.ts';

/** What operators' dashboards and alerts ask for, and so never changes its name. */
const METRICS = `
cathedral_access_log_bytes cathedral_api_keys cathedral_api_keys_expiring cathedral_attestations_verified_total cathedral_build_info
cathedral_disk_free_bytes cathedral_disk_free_inodes cathedral_disk_inodes cathedral_disk_size_bytes
cathedral_event_loop_delay_seconds cathedral_fault cathedral_http_active_requests
cathedral_http_refusals_total cathedral_http_request_duration_seconds cathedral_http_requests_total
cathedral_import_failures cathedral_import_success_timestamp_seconds cathedral_import_unread_timestamp_seconds
cathedral_last_run_duration_seconds cathedral_last_run_error cathedral_last_run_findings cathedral_last_run_outcome
cathedral_last_run_timestamp_seconds cathedral_ledger_sealed_timestamp_seconds cathedral_ledger_unsealed_timestamp_seconds
cathedral_live_listeners cathedral_live_timestamp_seconds cathedral_next_run_timestamp_seconds cathedral_publisher_keys cathedral_ready
cathedral_release_events cathedral_release_expiry_timestamp_seconds cathedral_release_sealed_timestamp_seconds
cathedral_release_timestamp_seconds cathedral_simulation_closed_total cathedral_simulation_connections
cathedral_simulation_dropped_total cathedral_simulation_errors_total cathedral_simulation_messages_total
cathedral_simulation_opened_total cathedral_simulation_refused_total
cathedral_simulation_running cathedral_simulation_started_total cathedral_snapshots cathedral_snapshots_bytes
cathedral_unreadable_clients_total cathedral_witness_cosigned_events cathedral_witness_cosigned_timestamp_seconds`
  .trim()
  .split(/\s+/);

const LEDGER = ['--from', '2025-12-30', '--to', '2026-01-03', '--seed', '1'];

async function published(folder: string): Promise<string[]> {
  const settings = [
    '--ledger',
    join(folder, 'ledger'),
    '--out',
    join(folder, 'out'),
    '--publisher-key',
    join(folder, 'keys/publisher.key'),
  ];
  await command('sample', ['--ledger', join(folder, 'ledger'), ...LEDGER]);
  await command('build', [...settings, '--without-site']);
  return settings;
}

// They publish, which takes some seconds.
const PATIENCE_MS = 600_000;

test('/metrics has every name, /status.json how the last run ended, and the dashboard asks for nothing else', {
  timeout: PATIENCE_MS,
}, async () => {
  const folder = await temporaryFolder();
  const settings = await published(folder);
  const stores = ['--store', join(folder, 'stores')];
  await mkdir(join(folder, 'stores'));
  const server = await openServer([...settings.slice(0, 4), ...stores, '--log-level', 'error']);
  onTestFinished(() => server.close());
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const offered = [...text.matchAll(/^# TYPE (cathedral_\w+) /gm)].map(([, name]) => name!);
  expect(offered.toSorted()).toEqual(METRICS);
  for (const path of ['deploy/grafana/dashboard.json', 'deploy/prometheus/alerts.yml']) {
    const asked = (await readFile(path, 'utf8')).match(/\bcathedral_[a-z_]+[a-z]\b/g)!;
    const unknown = asked.filter((name) => !METRICS.includes(name.replace(/_(?:bucket|count|sum)$/, '')));
    expect([path, unknown]).toEqual([path, []]);
  }
  const status = await (await fetch(`${server.url}/status.json`)).json();
  expect(status).toMatchObject({
    release: { timestamp: '2026-01-02T23:21:08Z' },
    last_run: { outcome: 'published', findings: { count: 0, latest: [] }, error: null },
  });
});

test('the documented back-up restores the service: the same release under the same signature, and every snapshot', {
  timeout: PATIENCE_MS,
}, async () => {
  const folder = await temporaryFolder();
  const settings = await published(folder);
  const manifest = () => readFile(join(folder, 'out/current/public/manifest.json'), 'utf8');
  const before = await manifest();
  // docs/operations.md, "Back-up": the ledger, the key with its folder `.signed`, the snapshots. The rest is lost.
  const kept = join(folder, 'back-up');
  for (const [from, to] of [
    ['ledger', 'ledger'],
    ['keys', 'keys'],
    ['out/snapshots', 'snapshots'],
  ] as const)
    await cp(join(folder, from), join(kept, to), { recursive: true, preserveTimestamps: true });
  for (const lost of ['ledger', 'keys', 'out']) await rm(join(folder, lost), { recursive: true });
  // "Restore": 1. the ledger, the key and its record; 2. the snapshots into an empty output folder; 3. a run.
  await cp(join(kept, 'ledger'), join(folder, 'ledger'), { recursive: true });
  await cp(join(kept, 'keys'), join(folder, 'keys'), { recursive: true });
  await cp(join(kept, 'snapshots'), join(folder, 'out/snapshots'), {
    recursive: true,
    preserveTimestamps: true,
  });
  await command('build', [...settings, '--without-site']);
  const after = await manifest();
  const content = (text: string) => JSON.parse(text).files as unknown;
  expect(content(after)).toEqual(content(before));
  expect(JSON.parse(after).keys).toEqual(JSON.parse(before).keys);
  const key = join(folder, 'keys/publisher.key');
  await command('check', ['--out', join(folder, 'out'), '--publisher-key', key]);

  // Without its snapshots a run contradicts what was signed, and publishes nothing.
  await rm(join(folder, 'out'), { recursive: true });
  await expect(command('build', [...settings, '--without-site'])).rejects.toThrow('release_refused');
});
