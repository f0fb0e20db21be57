import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import type { CatalogueFacts } from '../../../pipeline/formats/catalogue/catalogue.ts';
import { FORM_TYPES } from '../../../pipeline/formats/table-file.ts';
import { formPath, TABLES } from '../../../pipeline/formats/tables.ts';
import type { DraftFile } from '../../../pipeline/release/format/manifest.ts';
import { ORGANISATION } from '../../organisation.ts';

function draft(path: string, more: Partial<DraftFile> = {}): DraftFile {
  return {
    path,
    kind: 'data',
    area: 'economy',
    restricted: false,
    media_type: 'application/json',
    bytes: 1234,
    sha256: 'a'.repeat(64),
    rows: null,
    encodings: {},
    immutable: false,
    ...more,
  };
}

/** A release with a stand-in for every file there can be, made of nothing. The PDFs are yet to be printed. */
export function tinyFacts(): CatalogueFacts {
  const own = ARTIFACTS.filter(({ kind }) => kind !== 'printed').map(
    ({ path, area, restricted, mediaType }) => draft(path, { area, restricted, media_type: mediaType }),
  );
  const forms = TABLES.flatMap((table) => {
    const { area } = table.artifact;
    const file = (form: keyof typeof FORM_TYPES, ending: string = form) =>
      draft(formPath(table, ending), { area, media_type: FORM_TYPES[form], rows: 3 });
    if (!table.grows) return [file('.ndjson'), file('.xlsx')];
    return [file('.ndjson'), file('.xlsx', '-2025.xlsx'), file('.parquet', '-2025.parquet')];
  });
  const closed = draft('government/transparency-2025.json', { area: 'government' });
  const database = draft('cathedral.sqlite', { area: null, media_type: 'application/vnd.sqlite3' });
  return {
    baseUrl: 'https://data.example.org',
    organisation: ORGANISATION,
    software: 'cathedral-data-service 1.0.0+1f2e3d4c5b6a',
    since: '2025-07-03T00:00:00Z',
    asOf: '2026-01-05T23:33:23Z',
    ledger: { origin: 'test.example/ledger', snapshot: '2026-01-06T00Z', size: 3158, root: '7'.repeat(64) },
    papers: [
      {
        ...{ key: 'cathedral_paper_example', kind: 'paper', title: 'An example', year: '2025' },
        ...{ publisher: null, permanent: null, asOf: null },
        ...{
          url: 'https://data.example.org/academics/papers/example/',
          note: 'Draft, not peer reviewed. It is one.',
        },
        authors: [
          { name: 'Council of Example', isOrganisation: true },
          { name: 'van der Berg, Ana', isOrganisation: false },
        ],
      },
    ],
    files: [...own, closed, ...forms, database],
    printed: ['government/transparency.pdf', 'government/transparency-2025.pdf'],
  };
}
