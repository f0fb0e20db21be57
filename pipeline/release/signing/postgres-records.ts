import { realpath } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Database } from '../../postgres/database.ts';
import { assertHeld, type Lease } from '../../postgres/lease.ts';
import type { Query } from '../../sql/store.ts';
import { FOLDERS } from './file-records.ts';
import {
  formatSigningRecord,
  parseSigningRecord,
  type SigningRecord,
  type SigningRecords,
} from './signing-record.ts';

/**
 * The record of several publishers: a row. Only the holder of `lease` changes it, and only while nobody else has taken the lease:
 * both are checked in the transaction that writes it. Null: for readers.
 */
export function postgresRecords(
  database: Database,
  lease: Lease | null,
  folders: Pick<SigningRecords, 'nameOf' | 'isAbandoned'>,
): SigningRecords {
  const place = `the table cathedral.signing_record in ${database.name}`;
  return {
    place,
    isShared: true,
    ...folders,
    read: () => readRecord(database.query, place),
    async change(_why, decide) {
      const { result, afterwards } = await database.transaction(async (query) => {
        await assertHeld(query, database, lease!);
        const change = await decide(await readRecord(query, place, 'FOR UPDATE'));
        if (change.record) await writeRecord(query, change.record);
        return change;
      });
      await afterwards?.();
      return result;
    },
  };
}

async function readRecord(query: Query, place: string, lock: '' | 'FOR UPDATE' = ''): Promise<SigningRecord> {
  const { rows } = await query<{ record: string }>(
    `SELECT record::text AS record FROM cathedral.signing_record ${lock}`,
  );
  return parseSigningRecord(rows[0]?.record ?? '', place);
}

async function writeRecord(query: Query, record: SigningRecord): Promise<void> {
  await query('UPDATE cathedral.signing_record SET record = $1', [formatSigningRecord(record)]);
}

/**
 * For publishers that share a database and no bucket: one of them publishes, from a folder of its machine. Whether a folder of another
 * machine is abandoned, only an operator can say (`movesHere`). A name without a machine is from a record that was in a file.
 */
export function hostFolders({
  movesHere,
}: {
  movesHere: boolean;
}): Pick<SigningRecords, 'nameOf' | 'isAbandoned'> {
  const prefix = `${hostname()}:`;
  const { isAbandoned } = FOLDERS;
  return {
    nameOf: async (out) => `${prefix}${await realpath(out)}`,
    async isAbandoned(name) {
      if (movesHere) return true;
      if (name.startsWith('/')) return true;
      return name.startsWith(prefix) && isAbandoned(name.slice(prefix.length));
    },
  };
}
