import { ARTIFACTS } from '../../../../pipeline/artifacts/table.ts';
import { CHARTS } from '../../../../pipeline/charts/table.ts';
import { AREA_WORDS } from '../../layout/areas.ts';
import type { SiteRelease } from '../../layout/release.ts';
import { decisionRecords } from '../../records/decisions.ts';
import { deliberationRecords } from '../../records/deliberations.ts';
import { type Entry, shortText } from '../../records/records.ts';
import { sentinelEntries } from '../../records/sentinels.ts';
import type { SearchEntry } from './search-engine.ts';

/** The names of the kinds of pages, singular and plural. */
export const KIND_WORDS: Readonly<Record<SearchEntry['kind'], { one: string; many: string }>> = {
  sentinel: { one: 'Sentinel', many: 'Sentinels' },
  deliberation: { one: 'Deliberation', many: 'Deliberations' },
  decision: { one: 'Decision', many: 'Decisions' },
  chart: { one: 'Chart', many: 'Charts' },
  file: { one: 'File', many: 'Files' },
  term: { one: 'Term', many: 'Glossary' },
  page: { one: 'Page', many: 'Other pages' },
};

interface BrowseList {
  title: string;
  /** The page with the complete list. */
  href: string;
  total: number;
  links: readonly { href: string; label: string }[];
}

const MOST_LINKS = 6;

/** The first pages of each kind, for browsing and for readers without JavaScript. */
export function browseLists(release: SiteRelease): BrowseList[] {
  const list = <T>(
    title: string,
    href: string,
    { length: total, newest }: { length: number; newest: readonly T[] },
    link: (one: T) => BrowseList['links'][0],
  ) => ({ title, href, total, links: newest.map(link) });
  const allOf = <T>(all: readonly T[]) => ({ length: all.length, newest: all.slice(0, MOST_LINKS) });
  const recordsOf = <T>({ entries }: { entries: readonly T[] }) => ({
    length: entries.length,
    newest: entries.slice(-MOST_LINKS).reverse(),
  });
  const byTopic = ({ href, topic }: Entry) => ({ href, label: shortText(topic) });
  return [
    list('Sentinels', '/sentinels/', allOf(sentinelEntries(release)), ({ href, id }) => ({
      href,
      label: id,
    })),
    list('Deliberations', '/deliberations/', recordsOf(deliberationRecords(release)), byTopic),
    list('Decisions', '/decisions/', recordsOf(decisionRecords(release)), byTopic),
    list('Charts', '/charts/', allOf(CHARTS), ({ id, name }) => ({ href: `/charts/${id}/`, label: name })),
    list('Files', '/files/', allOf(ARTIFACTS), ({ path, title }) => ({
      href: `/files/${path}/`,
      label: title,
    })),
    list('Areas', '/', allOf(Object.entries(AREA_WORDS)), ([area, { title }]) => ({
      href: `/${area}/`,
      label: title,
    })),
  ].filter(({ total }) => total > 0);
}
