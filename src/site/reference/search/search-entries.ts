import { papers } from '../../../../pipeline/artifacts/academics/papers.ts';
import { AREAS } from '../../../../pipeline/artifacts/artifact.ts';
import { fieldsOf, limitsOf } from '../../../../pipeline/artifacts/data-dictionary.ts';
import { paperPage } from '../../../../pipeline/artifacts/documents/papers-bib.ts';
import { EVENT_TYPES } from '../../../../pipeline/artifacts/event-reference.ts';
import { ARTIFACTS } from '../../../../pipeline/artifacts/table.ts';
import { CHARTS } from '../../../../pipeline/charts/table.ts';
import { shortText } from '../../../../pipeline/words/phrase.ts';
import { PROBLEMS } from '../../../api/problem.ts';
import { AREA_WORDS } from '../../layout/areas.ts';
import { GROUPS } from '../../layout/navigation.ts';
import type { SiteRelease } from '../../layout/release.ts';
import { decisionRecords } from '../../records/decisions.ts';
import { type Deliberation, deliberationRecords } from '../../records/deliberations.ts';
import { sentinelEntries } from '../../records/sentinels.ts';
import { GLOSSARY } from '../glossary/terms.ts';
import type { SearchEntry, SearchIndex } from './search-engine.ts';

/** What a reader may look for on the pages of the menu, beside their names. */
const PAGE_WORDS: Readonly<Record<string, string>> = {
  '/about/': 'Publisher, contact, email, address, ledger, keys, source code, releases every six hours',
  '/accessibility/': 'Accessibility statement: screen reader, keyboard, contrast, print, whom to write to',
  '/api/':
    'API key, token, registration, tier, quota, rate limit, OpenAPI, curl, live stream, server-sent events',
  '/attestations/': 'Companion attestation: verify a signature, register a companion, revoke',
  '/charts/': 'Pictures for papers and slides: SVG, PNG, PDF',
  '/embedding/': 'Embed a chart in a page: iframe, oEmbed, SVG, picture',
  '/files/':
    'Download all data: CSV, JSON, NDJSON, Parquet, Excel (XLSX), SQLite, data package, feeds (Atom, RSS)',
  '/licence/': 'License, terms of use, attribution, Creative Commons, CC BY, Apache',
  '/mirrors/': 'Run a verified copy of this service: nginx, Caddy, static host',
  '/philosophy/simulation/':
    'Play a case with ten sentinels: scenarios, votes, decisions, teachers, WebSocket',
  '/snapshots/': 'Earlier releases: files as they were, permanent addresses, as of',
  '/sql/': 'SQL queries in the browser: DuckDB, Parquet, tables, columns',
  '/verification/': 'Verify a file: SHA-256, signature, checkpoint, manifest, proof, Merkle tree',
  '/verification/log/': 'Transparency log: checkpoints, witnesses, cosignatures, tiles, tlog',
  '/versions/': 'A file as it was at an earlier time: as of, by hash, what changed',
};

/** Everything that can be found, except the records of past years; `years` are those that have some. It has no number of the release. */
export function searchIndex(release: SiteRelease): SearchIndex {
  return {
    years: recordYears(release),
    entries: [
      ...AREAS.map((area) => {
        const { title, name, cathedral, subject, lead } = AREA_WORDS[area];
        return entry('page', `/${area}/`, title, [name, cathedral, subject, lead]);
      }),
      ...sentinelEntries(release).map(({ id, href, cathedral }) => entry('sentinel', href, id, [cathedral])),
      ...ARTIFACTS.map((artifact) => {
        const { path, title, description } = artifact;
        const fields = fieldsOf(artifact).map(({ name, description }) => `${name}: ${description}`);
        return entry('file', `/files/${path}/`, title, [path, description, ...fields, ...limitsOf(artifact)]);
      }),
      ...CHARTS.map(({ id, name, area, sources }) =>
        entry('chart', `/charts/${id}/`, name, [
          AREA_WORDS[area].title,
          ...ARTIFACTS.filter(({ path }) => sources.includes(path)).map(
            ({ path, description }) => `${path}: ${description}`,
          ),
          id,
        ]),
      ),
      ...GLOSSARY.flatMap(({ terms }) =>
        terms.map(({ id, name, meaning }) => entry('term', `/glossary/#${id}`, name, [meaning])),
      ),
      ...release
        .read(papers)
        .papers.map(({ id, title, key_result, venues }) =>
          entry('page', paperPage(id), title, ['Paper', key_result, ...venues]),
        ),
      ...EVENT_TYPES.map(({ type, description }) => entry('page', `/events/#${type}`, type, [description])),
      ...GROUPS.flatMap(({ links }) =>
        links.map(({ href, label }) => entry('page', href, label, [PAGE_WORDS[href] ?? ''])),
      ),
      ...Object.entries(PROBLEMS).map(([code, { title, status, meaning }]) =>
        entry('page', `/problems/${code}/`, title, [String(status), code, meaning]),
      ),
      ...deliberationRecords(release)
        .entries.filter(({ date }) => date === null)
        .map(deliberationEntry),
    ],
  };
}

/** The decisions and deliberations that are dated in a year, the newest first. Those of a past year stay as they are. */
export function recordEntries(release: SiteRelease, year: string): SearchEntry[] {
  const decided = decisionRecords(release).years.get(year) ?? [];
  const deliberated = deliberationRecords(release).years.get(year) ?? [];
  return [
    ...decided.map((one) =>
      entry('decision', one.href, shortText(one.topic), [
        ...[one.outcome, one.reasoning, one.lessons_learned],
        ...[one.frameworks_applied.join(', '), one.sentinels_involved.join(', '), one.id],
      ]),
    ),
    ...deliberated.map(deliberationEntry),
  ].reverse();
}

/** Years with records, the oldest first. */
export function recordYears(release: SiteRelease): string[] {
  const years = [decisionRecords(release), deliberationRecords(release)].flatMap(({ years }) => [
    ...years.keys(),
  ]);
  return [...new Set(years)].sort();
}

function deliberationEntry({ id, href, topic, outcome, positions }: Deliberation): SearchEntry {
  return entry('deliberation', href, shortText(topic), [
    outcome,
    positions.map((one) => one.id).join(', '),
    id,
  ]);
}

function entry(
  kind: SearchEntry['kind'],
  href: string,
  title: string,
  words: readonly string[],
): SearchEntry {
  return { kind, href, title, text: words.filter((one) => one !== '').join(' · ') };
}
