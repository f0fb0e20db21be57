import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import type pino from 'pino';
import type { Config } from '../../pipeline/config/settings.ts';
import { databaseOf, storeFiles } from '../../pipeline/config/store-place.ts';
import { type Database, openDatabase } from '../../pipeline/postgres/database.ts';
import { utcDay } from '../api/quotas.ts';
import type { AccessLog } from './access-log/access-log.ts';
import { openLogFile, openLogIn } from './access-log/access-log.ts';
import { logTableBytes } from './access-log/log-table.ts';
import { headsIn, signOwnHead } from './access-log/own-heads.ts';
import { folderBytes } from './health/disks.ts';
import { keyStoreIn, openKeyStore } from './keys/key-store.ts';
import { countStoreIn, openCountStore } from './limits/count-store.ts';
import { createLimiter, type Limiter } from './limits/limiter.ts';

type StoreConfig = Pick<Config, 'store' | 'baseUrl'>;

/** Each use of the database is short, and a primary has a hundred connections for all servers by default. */
const CONNECTIONS = 8;
/** Commits that are under way at once share a flush. */
const PARALLEL_COUNTS = 4;
/** The hash of no key. */
const NO_KEY = '0'.repeat(64);
/** A few times an hour, since yesterday's counts are personal data. */
const PRUNE_MS = 10 * 60 * 1000;

/** How long a tail of the access log may be unsigned, ms. */
const SIGN_MS = 60 * 60 * 1000;

/** Keys, counts and the access log: in files of this machine, or in the database that servers share. */
export async function openStores(config: StoreConfig, logger: pino.Logger) {
  const database = await openSharedDatabase(config);
  // Machines whose clocks differ agree on days and expiries.
  const now = database ? () => Date.now() + database.clock() : Date.now;
  const keys = database ? keyStoreIn(database) : await openKeyStore(storeFiles(config.store).keys);
  const { limiter, countsLostAt } = await openCounts(config, database, logger);
  const pruning = startPruning(limiter, now, (err) =>
    logger.error({ err }, 'counts of past days cannot be deleted'),
  );
  // Where machines share a database, publishers sign the heads of its log.
  const signing = database ? null : startSigning(config, logger);
  const accessLog = openLog(config, database, logger, () => signing?.sign());
  // An error was logged already, and each request that needs the log tries again.
  await accessLog.check().catch(() => undefined);
  const close = async () => {
    clearInterval(pruning);
    await Promise.all([accessLog.close(), limiter.close(), keys.close()]);
    await signing?.end();
    await database?.close();
  };
  const checks = {
    readKeys: () => keys.keyByHash(NO_KEY),
    checkCounts: limiter.check,
    checkAccessLog: accessLog.check,
    countsLostAt,
    ...(signing && { headsFault: signing.fault }),
  };
  const accessLogBytes = () =>
    database ? logTableBytes(database) : folderBytes(dirname(storeFiles(config.store).accessLog));
  const signNewest = async () => signing?.sign();
  return { database, now, keys, limiter, accessLog, accessLogBytes, signNewest, checks, close };
}

/** Null: this machine is the only one. */
async function openSharedDatabase({ store }: Pick<Config, 'store'>): Promise<Database | null> {
  const address = databaseOf(store);
  if (address === null) return null;
  const options = { application: 'cathedral server', connections: CONNECTIONS } as const;
  return openDatabase(address, { ...options, whenUnreachable: 'retry' });
}

async function openCounts({ store: place }: StoreConfig, database: Database | null, logger: pino.Logger) {
  if (database) {
    const store = countStoreIn(database);
    const limiter = createLimiter({ store, random: randomBytes, parallel: PARALLEL_COUNTS });
    return { limiter, countsLostAt: () => null };
  }
  const path = storeFiles(place).counts;
  let lostAt = 0;
  const onReplaced = () => {
    lostAt = Date.now();
    limiter.forget();
    logger.error({ path }, 'the file of counts was removed or replaced: counting starts again at zero');
  };
  const limiter = createLimiter({ store: await openCountStore(path, { onReplaced }), random: randomBytes });
  const countsLostAt = () => (utcDay(lostAt) === utcDay(Date.now()) ? lostAt : null);
  return { limiter, countsLostAt };
}

/** Public files are served without it; operators see errors in the server log and in /readyz. */
function openLog(
  { store }: StoreConfig,
  database: Database | null,
  logger: pino.Logger,
  onRecovery: () => void,
): AccessLog {
  const onChange = (err: unknown) => {
    if (err) return logger.error({ err }, 'no restricted file is served: the access log cannot be written');
    logger.warn('the access log can be written again');
    onRecovery();
  };
  if (database) return openLogIn(database, { onChange });
  return openLogFile(storeFiles(store).accessLog, { heads: headsIn(store), onChange });
}

/**
 * Signs the newest entry of the access log at the start, each hour, once the log can be written again, and at the end. The notes also go to the
 * server's log, which usually has another owner. A failure stops nothing: the next hour has the next entry.
 */
function startSigning({ store, baseUrl }: StoreConfig, logger: pino.Logger) {
  let fault: string | null = null;
  const signNewest = async () => {
    try {
      const head = await signOwnHead(store, baseUrl, Date.now());
      fault = null;
      if (head) logger.info({ seq: head.seq, note: head.note }, 'head of the access log signed');
    } catch (err) {
      fault = 'the newest entry of the access log is not signed';
      logger.error({ err }, 'the head of the access log cannot be signed');
    }
  };
  let last = Promise.resolve();
  /** One at a time. */
  const sign = () => {
    last = last.then(signNewest);
    return last;
  };
  const timer = setInterval(() => void sign(), SIGN_MS).unref();
  return {
    sign,
    /** Why the newest entry could not be signed; null: it was. */
    fault: () => fault,
    async end() {
      clearInterval(timer);
      await sign();
    },
  };
}

function startPruning(limiter: Limiter, now: () => number, report: (error: unknown) => void): NodeJS.Timeout {
  const prune = () => void limiter.prune(now()).catch(report);
  prune();
  return setInterval(prune, PRUNE_MS).unref();
}
