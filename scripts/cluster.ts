import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ATTACKS, attack } from '../test/cluster/attacks.ts';
import { Cluster, MISSING } from '../test/cluster/cluster.ts';

const HELP = `npm run cluster [-- FLAGS]: the service on several machines, all of them on this one

  --break            attacks it as docs/scaling.md promises to withstand, and says which promises held
  --only NAME,…      with --break: only the attacks whose name contains one of these
  --port PORT        of the load balancer (default: PORT, or 8080)
  --publishers N     default 2
  --sidecars N       default 3
  --from DAY         first day of the demo ledger (default: 30 days ago)
  --keep             keeps the folder with logs and data
`;

const DAYS = 30;
const DAY_MS = 86_400_000;

const { values } = parseArgs({
  options: {
    break: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    port: { type: 'string', default: process.env.PORT ?? '8080' },
    publishers: { type: 'string', default: '2' },
    sidecars: { type: 'string', default: '3' },
    from: { type: 'string', default: new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10) },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const say = (line: string) => console.log(line);

if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
if (MISSING.length > 0) {
  console.error(
    `A cluster needs ${MISSING.join(', ')}: apt-get install --no-install-recommends ${MISSING.join(' ')}`,
  );
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'cathedral-cluster-'));
const stopped = Promise.withResolvers<void>();
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.resolve());

const cluster = await Cluster.start({
  folder,
  port: Number(values.port),
  publishers: Number(values.publishers),
  sidecars: Number(values.sidecars),
  from: values.from,
  // Printing PDFs would need a browser for each publisher. The attacks publish many releases, for which the site would take a minute each.
  settings: values.break ? { CATHEDRAL_WITHOUT_SITE: 'true' } : { CATHEDRAL_WITHOUT_PDF: 'true' },
  log: say,
});
try {
  say(`Making the first release (logs in ${folder})`);
  await Promise.race([cluster.ready(), stopped.promise]);
  if (values.break) process.exitCode = (await Promise.race([breakIt(), stopped.promise])) ?? 1;
  else {
    announce();
    await stopped.promise;
  }
} finally {
  say('Stopping');
  await cluster.stop();
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function breakIt(): Promise<number> {
  const chosen = ATTACKS.filter(({ name }) => values.only.split(',').some((part) => name.includes(part)));
  const broken = await attack(cluster, chosen, say);
  say(`${chosen.length - broken} of ${chosen.length} promises held`);
  return broken === 0 ? 0 : 1;
}

function announce(): void {
  const { postgres, standby, objects } = cluster.engines;
  say(`\nReady: ${cluster.url}\n`);
  for (const { name, pid } of cluster.members) say(`  ${name.padEnd(12)} process ${pid}`);
  say(`  PostgreSQL   port ${postgres.port}, standby on port ${standby.port}`);
  say(`  object store ${objects.endpoint}`);
  say('\nKill what you like, for instance a sidecar (kill -9), and watch the site. Ctrl-C stops everything.');
}
