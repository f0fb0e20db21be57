/** Shares a ledger, or follows a shared one, until it is killed. Says when it has done so once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { objectStoreAt } from '../../../pipeline/objects/object-store.ts';
import { openDatabase } from '../../../pipeline/postgres/database.ts';
import { LedgerReplica } from '../../../pipeline/sources/shared/ledger-replica.ts';
import { LedgerSharer } from '../../../pipeline/sources/shared/ledger-sharer.ts';
import { SharedLedger } from '../../../pipeline/sources/shared/shared-ledger.ts';
import { CREDENTIALS } from '../../engines/object-store.ts';
import { signer } from '../../ledger/test-signer.ts';

const [, , does, folder = '', store = '', releases = ''] = process.argv;
const shared = new SharedLedger(await openDatabase(store, { application: 'a test', connections: 2 }));
const objects = objectStoreAt(releases, CREDENTIALS, { software: 'test', access: 'write' });
const common = { folder, verifiers: [signer.verifier], shared, objects };
const sharer = new LedgerSharer(common);
const replica = new LedgerReplica({ ...common, kind: 'replica', waitMs: 5000 });
for (;;) {
  if (does === 'share') await sharer.share();
  else await replica.update();
  process.stdout.write('.');
  await sleep(1);
}
