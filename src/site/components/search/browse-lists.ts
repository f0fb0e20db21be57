import { ARTIFACTS } from '../../../../pipeline/artifacts/table.ts';
import { CHARTS } from '../../../../pipeline/charts/table.ts';
import type { SearchKind } from '../../../../pipeline/release/format/search-kinds.ts';
import { AREA_WORDS } from '../areas.ts';
import { cycles } from '../explore/cycles.ts';
import { decisions } from '../explore/decisions.ts';
import { deliberations } from '../explore/deliberations.ts';
import { shortText } from '../explore/records.ts';
import { sentinelEntries } from '../explore/sentinels.ts';
import type { SiteRelease } from '../release.ts';

/** The names of the kinds of pages, singular and plural. */
export const KIND_WORDS: Readonly<Record<SearchKind, { one: string; many: string }>> = {
  sentinel: { one: 'Sentinel', many: 'Sentinels' },
  deliberation: { one: 'Deliberation', many: 'Deliberations' },
  decision: { one: 'Decision', many: 'Decisions' },
  cycle: { one: 'Cycle', many: 'Cycles' },
  chart: { one: 'Chart', many: 'Charts' },
  file: { one: 'File', many: 'Files' },
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
    all: readonly T[],
    link: (one: T) => BrowseList['links'][0],
  ) => ({
    title,
    href,
    total: all.length,
    links: all.slice(0, MOST_LINKS).map(link),
  });
  return [
    list('Sentinels', '/sentinels/', sentinelEntries(release), ({ href, id }) => ({ href, label: id })),
    list('Deliberations', '/deliberations/', deliberations(release), ({ href, topic }) => ({
      href,
      label: shortText(topic),
    })),
    list('Decisions', '/decisions/', decisions(release), ({ href, topic }) => ({
      href,
      label: shortText(topic),
    })),
    list('Cycles', '/cycles/', cycles(release), ({ href, label, date }) => ({
      href: href ?? '/cycles/',
      label: `${label}, ${date}`,
    })),
    list('Charts', '/charts/', CHARTS, ({ id, name }) => ({ href: `/charts/${id}/`, label: name })),
    list('Files', '/files/', ARTIFACTS, ({ path, title }) => ({ href: `/files/${path}/`, label: title })),
    list('Areas', '/', Object.entries(AREA_WORDS), ([area, { title }]) => ({
      href: `/${area}/`,
      label: title,
    })),
  ].filter(({ total }) => total > 0);
}
