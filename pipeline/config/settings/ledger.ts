import { ledgerSource } from '../ledger-address.ts';
import { numbers, settings } from '../setting.ts';

export const LEDGER = settings('Ledger', {
  ledger: {
    default: 'var/ledger',
    unit: 'a folder, postgres://user@host/database?table=…, ndjson+file:PATH, csv+file:PATH, civic+http(s)://…, or store:',
    description:
      'The ledger to read: a folder, or the database table, growing file or remote ledger to import it from, whose addresses docs/sources.md describes. `store:` is the ledger that another machine shares through CATHEDRAL_STORE and CATHEDRAL_RELEASES. Passwords belong in PGPASSWORD or a password file, because every user of a machine sees flags. The default is where `sample` writes the demo ledger.',
    path: true,
    schema: ledgerSource,
  },
  ledgerKey: {
    unit: 'a file of verifier keys, one per line',
    description:
      'Who may sign the ledger: one of these keys must have signed each checkpoint. Without it, the file LEDGER.vkey beside the folder of the ledger, where `ledger init` writes it, or, if there is none, the published key of demo ledgers.',
    path: true,
  },
  ledgerSigningKey: {
    unit: 'a file of signing keys',
    description:
      'The secret of the ledger, which `ledger init` makes. With it, `start` and `build` seal the finished slots of a ledger in a folder before each run. Keep it outside the ledger, readable by its owner only.',
    path: true,
  },
  importFolder: {
    default: 'var/imported',
    unit: 'a folder',
    description:
      'Where a table, a file or a remote ledger is imported to. Back it up: only this copy records the place of an event that arrived late. With --ledger store:, the replica of the shared ledger, which needs no back-up.',
    path: true,
  },
  importKey: {
    default: 'var/keys/import.key',
    unit: 'a file of 64 hex digits',
    description:
      'The secret that signs and salts imported ledger snapshots. The first import creates it. A different key gives the same events different hashes, so back it up.',
    path: true,
  },
  mapping: {
    unit: 'a JSON file',
    description:
      'What the columns of a table mean, for a ledger that is read from CSV, NDJSON or a database and for `ledger append`. docs/mapping.md describes the file. `ledger append` also takes a folder, with `votes.json` for `votes.csv`. Without it, the columns must be id, timestamp, type, agent, cycle, and data or data.<member>.',
    path: true,
  },
  wait: {
    default: '600',
    ...numbers('seconds', 0, 86_400),
    description:
      'How long to wait for another run that uses the same folder, or for the turn of another publisher. The default, ten minutes, is longer than a run over a large ledger takes; 0 fails immediately.',
  },
});
