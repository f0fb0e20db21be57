import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportReport } from '../../../pipeline/sources/import/import-rows.ts';
import type { RowSource } from '../../../pipeline/sources/import/source.ts';
import { parsePostgresAddress } from '../../../pipeline/sources/postgres/address.ts';
import { postgresSource } from '../../../pipeline/sources/postgres/postgres-source.ts';
import { type Mapping, parseMapping } from '../../../pipeline/sources/rows/mapping.ts';
import { importFrom } from '../civic/import-fixture.ts';

/** One import of the rows at an address. `mapping`: the members of a mapping file. `withhold`: it never comes to the end of the rows. */
export function importPostgres(
  address: string,
  directory: string,
  {
    mapping = null,
    full = false,
    now = Date.now,
    withhold = false,
  }: { mapping?: object | null; full?: boolean; now?: () => number; withhold?: boolean } = {},
): Promise<ImportReport> {
  const how: Mapping | null = mapping && parseMapping(JSON.stringify(mapping), 'mapping.json');
  const source = postgresSource(parsePostgresAddress(address), how);
  const opened = withhold ? withoutEnd(source) : source;
  return importFrom(opened, directory, { now, waitMs: 120_000, full });
}

/** All of the rows, after which it waits for more. */
function withoutEnd(source: RowSource): RowSource {
  return {
    ...source,
    async open(opening) {
      const view = await source.open(opening);
      const all = view.fresh.bind(view);
      view.fresh = async function* (start) {
        yield* all(start);
        await sleep(2 ** 30);
      };
      return view;
    },
  };
}
