import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../pipeline/artifacts/data-dictionary.ts';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import type { DraftFile } from '../../pipeline/release/format/manifest.ts';
import { fieldGroups } from '../../src/site/components/files/file-page.ts';
import { formatNames, otherFormats } from '../../src/site/components/files/other-formats.ts';
import { siteFacts } from '../../src/site/components/files/site-facts.ts';
import { SiteRelease } from '../../src/site/components/release.ts';
import { tinyFacts } from '../forms/catalogue/tiny-facts.ts';
import { ORGANISATION } from '../organisation.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { BASE_URL, writeFixtureRelease } from './fixture-release.ts';

const { files } = tinyFacts();
const listed = (all: readonly DraftFile[]) => ({
  find: (path: string) => all.find((file) => file.path === path),
  paths: (prefix: string) => all.map(({ path }) => path).filter((path) => path.startsWith(prefix)),
});
const tiny = listed(files);
const artifactAt = (path: string) => ARTIFACTS.find((artifact) => artifact.path === path)!;

describe('the fields of a page', () => {
  test('are those of the file, each once, under a heading for what they stand in', () => {
    for (const artifact of ARTIFACTS) {
      const groups = fieldGroups(fieldsOf(artifact));
      const names = groups.flatMap(({ path, fields }) =>
        fields.map(({ name }) => (path === '' ? name : `${path}.${name}`)),
      );
      expect(names.sort()).toEqual(
        fieldsOf(artifact)
          .map(({ name }) => name)
          .sort(),
      );
      const ids = groups.flatMap(({ fields }) => fields.map(({ id }) => id));
      expect(new Set(ids).size, artifact.path).toBe(ids.length);
    }
  });

  test('of a list have the list’s description', () => {
    const groups = fieldGroups(fieldsOf(artifactAt('government/sentinel-status.json')));
    expect(groups.map(({ path }) => path)).toEqual(['', 'sentinels[]', 'alerts[]']);
    expect(groups[1]).toMatchObject({
      description: 'Every sentinel ever registered, in the order of registration',
    });
    expect(groups[1]!.fields.map(({ name }) => name)).toContain('performance.gi_score');
  });
});

describe('the facts of a release', () => {
  test('are read from its files, where it has no catalogues too', async () => {
    const dir = await temporaryFolder();
    const { timestamp } = await writeFixtureRelease(dir);
    const release = new SiteRelease(dir, { baseUrl: BASE_URL, organisation: ORGANISATION });
    expect(siteFacts(release)).toMatchObject({ since: '2025-07-03', asOf: timestamp });
  });
});

describe('the other forms of a file', () => {
  test('are all that the release has, each under its own table', () => {
    const found = ARTIFACTS.flatMap((artifact) => otherFormats(artifact, tiny)).flatMap(({ forms }) => forms);
    const paths = found.map(({ file }) => file.path);
    const expected = files
      .filter(({ path }) => /\.(ndjson|xlsx|parquet)$/.test(path))
      .map(({ path }) => path);
    expect(paths.sort()).toEqual(expected.sort());
  });

  test('of a file with two tables are told apart', () => {
    const [first, second] = otherFormats(artifactAt('philosophy/deliberations.json'), tiny);
    expect([first!.name, second!.name]).toEqual(['deliberations', 'positions']);
    expect(second!.forms.map(({ file }) => file.path)).toEqual([
      'philosophy/positions.ndjson',
      'philosophy/positions.xlsx',
    ]);
  });

  test('are none where the release was made without', () => {
    const own = files.filter(({ path }) => ARTIFACTS.some((artifact) => artifact.path === path));
    for (const artifact of ARTIFACTS) expect(otherFormats(artifact, listed(own))).toEqual([]);
    expect(formatNames(artifactAt('economy/supply'), [])).toBe('JSON');
  });

  test('never take a table for another whose name begins like it', () => {
    const mii = otherFormats(artifactAt('economy/mii'), tiny).flatMap(({ forms }) => forms);
    expect(mii.map(({ file }) => file.path)).toEqual(['economy/mii.ndjson', 'economy/mii.xlsx']);
  });

  test('are named in a few words', () => {
    const history = artifactAt('economy/mic-history.csv');
    expect(formatNames(history, otherFormats(history, tiny))).toBe('CSV, NDJSON, XLSX and Parquet');
  });
});
