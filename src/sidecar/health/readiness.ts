import type { Status } from '../../../pipeline/release/format/status.ts';

/** Without one of these the server refuses requests that another server might answer. */
export type RequiredPart = 'release' | 'keys' | 'limits' | 'access_log';
/** A fault in these is no reason to send requests elsewhere, since all servers follow the same ledger. */
export type OptionalPart = 'live' | 'last_run' | 'counts';

/** The fault of each part; null for none. */
export interface Readiness {
  required: Readonly<Record<RequiredPart, string | null>>;
  optional: Readonly<Partial<Record<OptionalPart, string | null>>>;
}

export interface ReadinessSources {
  hasRelease: () => Promise<boolean>;
  /** Each rejects if a request that needs it would be refused. */
  readKeys: () => Promise<unknown>;
  checkCounts: () => Promise<void>;
  checkAccessLog: () => Promise<void>;
  /** Of the live state; missing if no ledger is followed. */
  liveFault?: () => string | null;
  readStatus: () => Promise<Status | null>;
  /** When today's counts were lost, ms; null if they were not. */
  countsLostAt: () => number | null;
}

/** Checks every part, the stores by using them. Faults name no paths and addresses; those are in the server log. */
export async function readReadiness(sources: ReadinessSources): Promise<Readiness> {
  const [hasRelease, keys, limits, accessLog, lastRun] = await Promise.all([
    sources.hasRelease().catch(() => false),
    faultOf(sources.readKeys(), 'the key store cannot be read'),
    faultOf(sources.checkCounts(), 'requests cannot be counted'),
    faultOf(sources.checkAccessLog(), 'the access log cannot be written'),
    readRunFault(sources),
  ]);
  const lostAt = sources.countsLostAt();
  return {
    required: { release: hasRelease ? null : 'no release yet', keys, limits, access_log: accessLog },
    optional: {
      ...(sources.liveFault && { live: sources.liveFault() }),
      last_run: lastRun,
      counts:
        lostAt === null ? null : `the counts of today before ${new Date(lostAt).toISOString()} are lost`,
    },
  };
}

/** Whether the server can serve. */
export function isReady({ required }: Readiness): boolean {
  return Object.values(required).every((fault) => fault === null);
}

async function faultOf(check: Promise<unknown>, fault: string): Promise<string | null> {
  return check.then(
    () => null,
    () => fault,
  );
}

async function readRunFault({ readStatus }: ReadinessSources): Promise<string | null> {
  const status = await readStatus().catch(() => 'unreadable' as const);
  if (status === 'unreadable') return 'status.json cannot be read';
  if (status?.last_run.outcome !== 'failed') return null;
  const { finished_at: at, error } = status.last_run;
  return `it failed at ${at}${error ? `: ${error.code}` : ''}`;
}
