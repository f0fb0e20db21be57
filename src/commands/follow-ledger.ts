import { setTimeout as sleep } from 'node:timers/promises';
import { readCompanions } from '../../pipeline/artifacts/read-companions.ts';
import type { LedgerSource } from '../../pipeline/config/publishing-settings.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { importPeriodically } from '../sidecar/live/import-periodically.ts';
import type { Context } from './command.ts';
import { importNew, type LocalLedger, localLedger, SOURCE_SETTINGS } from './ledger-source.ts';

export const FOLLOW_SETTINGS = [...SOURCE_SETTINGS, 'importInterval'] as const;
type FollowConfig = Pick<Config, (typeof FOLLOW_SETTINGS)[number] | 'companions'>;

/**
 * The ledger that the live state follows. A remote one is imported again and again until `signal` aborts, beginning
 * after the first interval: what is there already is followed from the start. Throws config_invalid, also for companions
 * that this ledger cannot have.
 */
export async function followLedger(
  source: LedgerSource,
  config: FollowConfig,
  { now, progress }: Pick<Context, 'now' | 'progress'>,
  signal: AbortSignal,
): Promise<LocalLedger> {
  if (source.kind === 'civic') {
    void importPeriodically({
      importNew: () => importNew(source.url, config, now),
      intervalMs: config.importInterval * 1000,
      report: (error) =>
        progress.note(`The remote ledger could not be imported: ${(error as Error).message}`),
      sleep: (ms, ending) => sleep(ms, undefined, { signal: ending, ref: false }),
      signal,
    });
  }
  const local = await localLedger(source, config);
  // Whom a server must not trust it refuses before it begins; later, that would be one line in a log.
  await readCompanions(config.companions, local.verifiers);
  return local;
}
