import type { Status } from '../../../pipeline/release/format/status.ts';

/** Without one of these the server refuses requests that another server may be able to answer. */
export type NeededPart = 'release' | 'keys' | 'limits' | 'access_log';
/** What is wrong with these is no reason to send requests elsewhere: all servers follow the same ledger. */
export type OtherPart = 'live' | 'last_run' | 'counts';

/** What is wrong with each part; null for nothing. */
export interface Readiness {
  needed: Readonly<Record<NeededPart, string | null>>;
  others: Readonly<Partial<Record<OtherPart, string | null>>>;
}

export interface ReadinessSources {
  hasRelease: () => Promise<boolean>;
  /** Each rejects where a request that needs it would be refused. */
  readKeys: () => Promise<unknown>;
  checkCounts: () => Promise<void>;
  checkAccessLog: () => Promise<void>;
  /** Of the live state; left out where no ledger is followed. */
  liveFault?: () => string | null;
  readStatus: () => Promise<Status | null>;
  /** When the counts of today were lost, ms; null where they were not. */
  countsLostAt: () => number | null;
}

/** Looks at every part anew, stores by using them. Faults are without paths and addresses: those are in the log. */
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
    needed: { release: hasRelease ? null : 'there is none', keys, limits, access_log: accessLog },
    others: {
      ...(sources.liveFault && { live: sources.liveFault() }),
      last_run: lastRun,
      counts:
        lostAt === null ? null : `what was counted today before ${new Date(lostAt).toISOString()} is lost`,
    },
  };
}

/** Whether the server can serve. */
export function isReady({ needed }: Readiness): boolean {
  return Object.values(needed).every((fault) => fault === null);
}

/** In the text format of Prometheus. */
export function formatReadiness(readiness: Readiness): string {
  const { needed, others } = readiness;
  const faults = Object.entries({ ...needed, ...others });
  return [
    '# HELP cathedral_ready Whether the server can serve, as /readyz says.',
    '# TYPE cathedral_ready gauge',
    `cathedral_ready ${isReady(readiness) ? 1 : 0}`,
    '# HELP cathedral_fault Whether something is wrong with a part of the service, as /readyz says.',
    '# TYPE cathedral_fault gauge',
    ...faults.map(([part, fault]) => `cathedral_fault{part="${part}"} ${fault === null ? 0 : 1}`),
    '',
  ].join('\n');
}

async function faultOf(look: Promise<unknown>, fault: string): Promise<string | null> {
  return look.then(
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
