import { AREAS } from '../../../../pipeline/artifacts/artifact.ts';
import { AREA_WORDS } from '../areas.ts';

/** A place on this site, as menus and breadcrumbs name it. */
export interface NavLink {
  /** From the root, `/charts/`. */
  href: string;
  label: string;
}

/** The five portals. */
export const PORTALS: readonly NavLink[] = AREAS.map((area) => ({
  href: `/${area}/`,
  label: AREA_WORDS[area].title,
}));

/** What stands in the header beside the portals. */
export const TOOLS: readonly NavLink[] = [
  { href: '/charts/', label: 'Charts' },
  { href: '/files/', label: 'Files' },
  { href: '/search/', label: 'Search' },
  { href: '/api/', label: 'API' },
];

/** Ledgers' things with a page each, and what is computed with them: the header's menu. */
export const EXPLORERS: readonly NavLink[] = [
  { href: '/sentinels/', label: 'Sentinels' },
  { href: '/deliberations/', label: 'Deliberations' },
  { href: '/decisions/', label: 'Decisions' },
  { href: '/cycles/', label: 'Cycles' },
  { href: '/calculator/', label: 'Reward calculator' },
  { href: '/philosophy/simulation/', label: 'Governance simulation' },
  { href: '/attestations/', label: 'Attestations' },
];

/** The service itself. */
export const ABOUT: readonly NavLink[] = [
  { href: '/verification/', label: 'Verification' },
  { href: '/mirrors/', label: 'Mirrors' },
  { href: '/licence/', label: 'Licence' },
  { href: '/problems/', label: 'Problems' },
];

/** Whether a menu marks a link: as the page that is open, or as the part of the site that the page is in. */
export function currentMark({ href }: NavLink, pathname: string): 'page' | 'true' | undefined {
  if (pathname === href) return 'page';
  return pathname.startsWith(href) ? 'true' : undefined;
}
