import { nameOfSource } from '../../pipeline/config/ledger-address.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { VERSION } from '../../pipeline/config/software.ts';
import { verifierKeyOf } from '../../pipeline/ledger/notes/note-keys.ts';
import { withDatabase } from '../../pipeline/postgres/with-database.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { requireKeys } from '../../pipeline/release/signing/change-publisher.ts';
import { FOLDERS, fileRecords } from '../../pipeline/release/signing/file-records.ts';
import { postgresRecords } from '../../pipeline/release/signing/postgres-records.ts';
import { followLedger } from '../sidecar/live/follow-ledger.ts';
import { ownDocuments } from './organisation.ts';
import { assertPublishesOutside } from './outside-ledger.ts';
import type { RUN_SETTINGS } from './run-settings.ts';
import { runOnSchedule, type Scheduling } from './scheduled-runs.ts';

/** Publishes on schedule until `signal` aborts, and serves nothing. Throws config_invalid and store_failed. */
export async function runPublisher(
  config: Pick<Config, (typeof RUN_SETTINGS)[number] | 'sealDelay'>,
  scheduling: Scheduling,
  signal: AbortSignal,
): Promise<void> {
  assertPublishesOutside(config);
  const { ledger } = config;
  scheduling.progress.note(`Cathedral Data Service ${VERSION}, publisher, ledger ${nameOfSource(ledger)}`);
  await ownDocuments(config, await followLedger(ledger, config, scheduling, signal));
  await runOnSchedule(config, scheduling, signal);
}

/** The publisher's keys. `in_release`: the current release of `out` names the key, so that its readers know it; null without a release. */
export async function publisherFacts(keyFile: string, out: string) {
  const keys = await requireKeys(keyFile);
  const release = await readCurrent(out).catch(() => null);
  return keys.map((key, index) => ({
    verifier_key: verifierKeyOf(key),
    made: key.made,
    until_retired: index > 0,
    in_release: release && (release.manifest.signed?.keys ?? []).includes(verifierKeyOf(key)),
  }));
}

export function formatPublisherKeys(facts: Awaited<ReturnType<typeof publisherFacts>>): string[] {
  return facts.map(({ verifier_key: key, made, until_retired: isOlder, in_release: isKnown }) => {
    const notes = [`made ${made}`];
    if (isOlder) notes.push('signs until it is retired');
    if (isKnown === false) notes.push('not yet in the current release');
    return `${key} (${notes.join(', ')})`;
  });
}

/** What was signed last, for each service. */
export async function lastSigned({ publisherKey, store }: Pick<Config, 'publisherKey' | 'store'>) {
  const { services } = await withDatabase(store, 'publisher show', (database) =>
    (database ? postgresRecords(database, null, FOLDERS) : fileRecords(publisherKey, { waitMs: 0 })).read(),
  );
  return Object.entries(services).map(([service, { release, version }]) => ({ service, release, version }));
}
