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

/** The links in the header beside the portals. */
export const TOOLS: readonly NavLink[] = [
  { href: '/charts/', label: 'Charts' },
  { href: '/files/', label: 'Files' },
  { href: '/search/', label: 'Search' },
  { href: '/api/', label: 'API' },
];

/** In the footer beside these: earlier states of the data. */
export const EARLIER: readonly NavLink[] = [
  { href: '/versions/', label: 'Versions' },
  { href: '/snapshots/', label: 'Snapshots' },
];

/** The header's menu: the ledger's entities, each with its own page, and the interactive tools. */
export const EXPLORERS: readonly NavLink[] = [
  { href: '/sentinels/', label: 'Sentinels' },
  { href: '/deliberations/', label: 'Deliberations' },
  { href: '/decisions/', label: 'Decisions' },
  { href: '/cycles/', label: 'Cycles' },
  { href: '/calculator/', label: 'Reward calculator' },
  { href: '/philosophy/simulation/', label: 'Governance simulation' },
  { href: '/attestations/', label: 'Attestations' },
];

/** The links about the service itself. */
export const ABOUT: readonly NavLink[] = [
  { href: '/verification/', label: 'Verification' },
  { href: '/verification/log/', label: 'The log' },
  { href: '/mirrors/', label: 'Mirrors' },
  { href: '/events/', label: 'Event types' },
  { href: '/licence/', label: 'Licence' },
  { href: '/problems/', label: 'Problems' },
];

/** The `aria-current` of a link: `page` for the open page, `true` for the section that the page is in. */
export function currentMark({ href }: NavLink, pathname: string): 'page' | 'true' | undefined {
  if (pathname === href) return 'page';
  return pathname.startsWith(href) ? 'true' : undefined;
}
