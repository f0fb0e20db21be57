import { readFileSync } from 'node:fs';
import bibtexParse from 'bibtex-parse';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { citations } from '../../pipeline/artifacts/academics/citations.ts';
import { papers } from '../../pipeline/artifacts/academics/papers.ts';
import type { Artifact, View } from '../../pipeline/artifacts/artifact.ts';
import { protocols } from '../../pipeline/artifacts/diplomacy/protocols.ts';
import { standards } from '../../pipeline/artifacts/diplomacy/standards.ts';
import { treatyFramework } from '../../pipeline/artifacts/diplomacy/treaty-framework.ts';
import { readDocuments } from '../../pipeline/artifacts/documents.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { emptyState } from '../../pipeline/model/state.ts';
import { DEMO_COMPANIONS } from '../attestation/demo-companions.ts';

const documents = await readDocuments(new URL('../../data/documents', import.meta.url).pathname);
const view: View = {
  documents,
  companions: DEMO_COMPANIONS,
  state: { ...emptyState(), asOf: '2026-11-21T04:00:00Z', cycle: 'C-506' },
  baseUrl: 'https://data.example.org',
};
const gated: Artifact = {
  ...standards,
  path: 'government/ledger/export',
  title: 'Audit trail',
  restricted: true,
};
const TABLE: Artifact[] = [treatyFramework, standards, protocols, papers, gated];
const database = citations(() => [...TABLE, database]);

describe.each([treatyFramework, standards, protocols])('$path', (artifact) => {
  test('is published as it was written, member by member in the same order', () => {
    const source = new URL(`../../data/documents/${artifact.path.split('/')[1]}`, import.meta.url);
    const written: unknown = JSON.parse(readFileSync(source, 'utf8'));
    expect(artifact.render(view)).toBe(`${JSON.stringify(written, null, 2)}\n`);
  });

  test('is valid and empty without it', () => {
    const none = { ...documents, treatyFramework: null, standards: null, protocols: null };
    const content: object = JSON.parse(artifact.render({ ...view, documents: none }));
    expect(Object.keys(content)).toEqual(Object.keys(JSON.parse(artifact.render(view))));
    for (const member of Object.values(content)) expect(member === null || member.length === 0).toBe(true);
    expect(artifact.schema.safeParse(content).success).toBe(true);
  });
});

describe.each([treatyFramework, standards, protocols, papers])('$path', (artifact) => {
  test('describes every member of its schema', () => {
    const undescribed: string[] = [];
    walk(z.toJSONSchema(artifact.schema), artifact.path, undescribed);
    expect(undescribed).toEqual([]);
  });
});

function walk(schema: object, path: string, undescribed: string[]): void {
  const {
    properties,
    items,
    anyOf = [],
  } = schema as {
    properties?: Record<string, object>;
    items?: object;
    anyOf?: object[];
  };
  for (const [name, member] of Object.entries(properties ?? {})) {
    if (!('description' in member)) undescribed.push(`${path}.${name}`);
    walk(member, `${path}.${name}`, undescribed);
  }
  for (const one of anyOf) walk(one, path, undescribed);
  if (items) walk(items, `${path}[]`, undescribed);
}

test('a document that does not fit its schema is not published', () => {
  const broken = { ...view, documents: { ...documents, papers: [{ ...documents.papers[0]!, venues: [] }] } };
  expect(() => papers.render(broken)).toThrow(CathedralError);
});

test('the papers index has the members of the specification in its order', () => {
  const [first] = JSON.parse(papers.render(view)).papers;
  expect(Object.keys(first)).toEqual(['id', 'title', 'status', 'venues', 'key_result', 'path']);
});

describe('academics/citations.bib', () => {
  const entries = bibtexParse.parse(database.render(view), { number: 'string' }).flatMap((item) => {
    if (item.itemtype !== 'entry') return [];
    return [
      {
        type: item.type,
        key: item.key,
        ...Object.fromEntries(item.fields.map(({ name, value }) => [name, value])),
      },
    ];
  });

  test('has an entry for the system, for each paper and for each dataset, gated ones and itself included', () => {
    expect(entries.map(({ key }) => key)).toEqual([
      'cathedral_data_service',
      ...documents.papers.map(({ id }) => `cathedral_paper_${id.replaceAll('-', '_')}`),
      'cathedral_diplomacy_treaty_framework_json',
      'cathedral_diplomacy_standards_json',
      'cathedral_diplomacy_protocols_json',
      'cathedral_academics_papers_json',
      'cathedral_government_ledger_export',
      'cathedral_academics_citations_bib',
    ]);
    expect(database.rows?.(view)).toBe(entries.length);
  });

  test('has entries of the type software with title, author, year, url and note', () => {
    expect(entries.find(({ key }) => key === 'cathedral_diplomacy_standards_json')).toEqual({
      type: 'software',
      key: 'cathedral_diplomacy_standards_json',
      author: '{Cathedral Data Service}',
      title: '{International standards}',
      year: '2026',
      url: 'https://data.example.org/diplomacy/standards.json',
      note: 'JSON file. CC BY 4.0.',
    });
  });

  test('says of gated data that it needs a key, and of papers that nobody reviewed them', () => {
    const noteOf = (wanted: string) => entries.find(({ key }) => key === wanted);
    expect(noteOf('cathedral_government_ledger_export')).toMatchObject({
      note: expect.stringMatching(/API key\.$/),
    });
    expect(noteOf('cathedral_paper_drift_windows')).toMatchObject({
      note: expect.stringMatching(/^Draft, not peer reviewed\. /),
    });
  });

  test('takes the year of the data from the ledger and that of a paper from the documents', () => {
    const later = { ...view, state: { ...view.state, asOf: '2031-01-01T00:00:00Z' } };
    const years = [...database.render(later).matchAll(/year = \{(\d+)\}/g)].map(([, year]) => year);
    expect(years).toEqual([
      '2031',
      ...documents.papers.map(() => '2026'),
      ...TABLE.map(() => '2031'),
      '2031',
    ]);
  });

  test.each([
    [
      'two artifacts whose paths give one key',
      view,
      [standards, { ...standards, path: 'diplomacy/standards-json' }],
    ],
    ['a ledger without events', { ...view, state: emptyState() }, []],
    ['a base URL that is none', { ...view, baseUrl: 'data.example.org' }, []],
  ])('is not published for %s', (_, broken, table: Artifact[]) => {
    expect(() => citations(() => table).render(broken)).toThrow(/artifact_invalid/);
  });
});
