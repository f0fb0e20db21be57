import { AREAS } from '../../../pipeline/artifacts/artifact.ts';
import { AREA_WORDS } from './areas.ts';

/** A place on this site, as menus and breadcrumbs name it. */
export interface NavLink {
  /** From the root, `/charts/`. */
  href: string;
  label: string;
}

/** It runs the search, and has a field of its own. */
export const SEARCH_PAGE = '/search/';

/** A longer text was pasted by mistake. */
export const LONGEST_QUERY = 200;

/** The five portals. */
export const PORTALS: readonly NavLink[] = AREAS.map((area) => ({
  href: `/${area}/`,
  label: AREA_WORDS[area].title,
}));

/** The links in the header beside the portals. On a phone the menu has them. */
export const TOOLS: readonly NavLink[] = [
  { href: '/charts/', label: 'Charts' },
  { href: '/files/', label: 'Files' },
  { href: '/api/', label: 'API' },
  { href: '/about/', label: 'About' },
];

/** The groups of the header's menu, which the footer repeats. A page that readers are to find belongs in one of them. */
export const GROUPS: readonly { title: string; links: readonly NavLink[] }[] = [
  {
    title: 'The ledger',
    links: [
      { href: '/sentinels/', label: 'Sentinels' },
      { href: '/deliberations/', label: 'Deliberations' },
      { href: '/decisions/', label: 'Decisions' },
      { href: '/attestations/', label: 'Attestations' },
      { href: '/events/', label: 'Event types' },
    ],
  },
  {
    title: 'Data',
    links: [
      { href: '/charts/', label: 'Charts' },
      { href: '/files/', label: 'Files' },
      { href: '/sql/', label: 'SQL' },
      { href: '/versions/', label: 'Versions' },
      { href: '/snapshots/', label: 'Snapshots' },
      { href: '/api/', label: 'API' },
    ],
  },
  {
    title: 'Tools',
    links: [
      { href: '/search/', label: 'Search' },
      { href: '/philosophy/simulation/', label: 'Governance simulation' },
      { href: '/verification/', label: 'Verification' },
    ],
  },
  {
    title: 'About',
    links: [
      { href: '/about/', label: 'About this service' },
      { href: '/glossary/', label: 'Glossary' },
      { href: '/embedding/', label: 'Embedding' },
      { href: '/mirrors/', label: 'Mirrors' },
      { href: '/verification/log/', label: 'The log' },
      { href: '/licence/', label: 'Licence' },
      { href: '/accessibility/', label: 'Accessibility' },
      { href: '/problems/', label: 'Problems' },
    ],
  },
];

/** What the documents of the simulation have in common as pages. */
export const OF_SIMULATION = {
  area: 'philosophy',
  label: 'Governance simulation',
  above: [
    { href: '/philosophy/', label: AREA_WORDS.philosophy.title },
    { href: '/philosophy/simulation/', label: 'Governance simulation' },
  ],
} as const;

/** The `aria-current` of a link: `page` for the open page, `true` for the section that the page is in. */
export function currentMark({ href }: NavLink, pathname: string): 'page' | 'true' | undefined {
  if (pathname === href) return 'page';
  return pathname.startsWith(href) ? 'true' : undefined;
}
