import type { Status } from '../../../pipeline/release/format/status.ts';
import { unreadMessage } from '../../../pipeline/sources/import/import-rows.ts';
import type { Unread } from '../../../pipeline/sources/import/source.ts';
import type { Following } from '../files/published.ts';

/** Why a load balancer should send requests elsewhere: there is no release to serve, or the server is about to stop. */
type ServingPart = 'release' | 'shutdown';
/**
 * Parts that some requests need. Their fault is no reason to send all requests elsewhere: most need none of them, and servers that
 * share a database would all leave the load balancer at once.
 */
type StorePart = 'keys' | 'limits' | 'access_log';
type OtherPart = 'access_log_heads' | 'releases' | 'ledger' | 'imports' | 'live' | 'last_run' | 'counts';

/** How the import of a remote ledger goes. */
export interface ImportProgress {
  /** When the last import ended that succeeded, ms. */
  succeededAt: number | null;
  /** Since then. */
  failures: number;
  /** What the last import that succeeded left unread at the end of a file. */
  unread: Unread | null;
}

/** The fault of each part; null for none. */
export interface Readiness {
  serving: Readonly<Record<ServingPart, string | null>>;
  stores: Readonly<Record<StorePart, string | null>>;
  others: Readonly<Partial<Record<OtherPart, string | null>>>;
}

export interface ReadinessSources {
  hasRelease: () => Promise<boolean>;
  /** Of a server that follows a bucket; null on a single machine. */
  following: Pick<Following, 'fault' | 'refresh' | 'isLate' | 'isResuming'> | null;
  /** Whether the server is about to stop, and accepts requests only until its load balancer has noticed. */
  isDraining: () => boolean;
  /** Each rejects if a request that needs it would be refused. */
  readKeys: () => Promise<unknown>;
  checkCounts: () => Promise<void>;
  checkAccessLog: () => Promise<void>;
  /** Of the signing of heads of the access log; missing where publishers sign them. */
  headsFault?: () => string | null;
  /** Of the import that follows a source; missing without one. */
  imports?: ImportProgress;
  /** Of the live state; missing if no ledger is followed. */
  liveFault?: () => string | null;
  /** Of a ledger that many machines share; missing if this one is alone. */
  sharingFault?: () => string | null;
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
    // Knowledge of the other servers from before a pause is worth nothing.
    sources.following && within(sources.following.refresh(), undefined),
  ]);
  const lostAt = sources.countsLostAt();
  return {
    serving: {
      release: hasRelease ? lateness(sources) : (sources.following?.fault() ?? 'no release yet'),
      shutdown: sources.isDraining() ? 'the server is about to stop' : null,
    },
    stores: { keys, limits, access_log: accessLog },
    others: {
      // A log that cannot be written cannot be signed either.
      ...(sources.headsFault && { access_log_heads: accessLog === null ? sources.headsFault() : null }),
      ...(sources.following && { releases: sources.following.fault() }),
      ...(sources.sharingFault && { ledger: sources.sharingFault() }),
      ...(sources.imports && { imports: importFault(sources.imports) }),
      ...(sources.liveFault && { live: sources.liveFault() }),
      last_run: lastRun,
      counts:
        lostAt === null ? null : `the counts of today before ${new Date(lostAt).toISOString()} are lost`,
    },
  };
}

/** One failure may be a passing fault of the source. */
function importFault({ failures, unread }: ImportProgress): string | null {
  if (failures > 1) return `the last ${failures} imports failed`;
  return unread && unreadMessage(unread);
}

/** A reader who was at another server would be sent back to an older release here. */
function lateness({ following }: ReadinessSources): string | null {
  if (following?.isResuming()) return 'the server was paused, and is catching up';
  return following?.isLate() ? 'another server has a newer release' : null;
}

/** Whether the server can serve. */
export function isReady({ serving }: Readiness): boolean {
  return Object.values(serving).every((fault) => fault === null);
}

/** Every part, in the order in which the server reports them. */
export function partsOf({ serving, stores, others }: Readiness): Record<string, string | null> {
  return { ...serving, ...stores, ...others };
}

/** How long a part may take to answer, ms: shorter than the time-out of a load balancer's check. */
const PATIENCE_MS = 500;

function faultOf(check: Promise<unknown>, fault: string): Promise<string | null> {
  const result = check.then(
    () => null,
    () => fault,
  );
  return within(result, fault);
}

function within<T>(work: Promise<T>, otherwise: T): Promise<T> {
  const late = Promise.withResolvers<T>();
  const timer = setTimeout(() => late.resolve(otherwise), PATIENCE_MS);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

async function readRunFault({ readStatus }: ReadinessSources): Promise<string | null> {
  const status = await readStatus().catch(() => 'unreadable' as const);
  if (status === 'unreadable') return 'status.json cannot be read';
  if (!status?.last_run.error) return null;
  const { finished_at: at, error, outcome } = status.last_run;
  const lacks = status.release?.lacks.join(', ') ?? '';
  if (outcome === 'incomplete') return `it published without ${lacks} at ${at}: ${error.code}`;
  return `it failed at ${at}: ${error.code}`;
}
