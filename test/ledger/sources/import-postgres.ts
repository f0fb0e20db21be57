import { type Mapping, parseMapping } from '../../../pipeline/ledger/rows/mapping.ts';
import { type ImportReport, importRows } from '../../../pipeline/ledger/sources/import-rows.ts';
import { parsePostgresAddress } from '../../../pipeline/ledger/sources/postgres/address.ts';
import { postgresSource } from '../../../pipeline/ledger/sources/postgres/postgres-source.ts';
import { SIGNER } from '../civic/import-fixture.ts';

/** One import of the rows at an address. `mapping`: the members of a mapping file. */
export function importPostgres(
  address: string,
  directory: string,
  { mapping = null, full = false }: { mapping?: object | null; full?: boolean } = {},
): Promise<ImportReport> {
  const how: Mapping | null = mapping && parseMapping(JSON.stringify(mapping), 'mapping.json');
  return importRows({
    source: postgresSource(parsePostgresAddress(address), how),
    directory,
    signers: [SIGNER],
    verifiers: [SIGNER.verifier],
    secret: new Uint8Array(32).fill(9),
    now: Date.now,
    waitMs: 10_000,
    full,
  });
}
