import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { formatNumber } from '../../../pipeline/words/number.ts';
import { capitalise, formatList } from '../../../pipeline/words/phrase.ts';
import { QUOTAS, type Quota, type Tier, tierWithoutKey } from '../../api/quotas.ts';
import { type Tier as KeyTier, TIERS } from '../../api/tiers.ts';
import { AREA_WORDS } from '../layout/areas.ts';

const RESEARCH = ['Research purpose', 'Expected usage volume (requests a day)'];

/** What an applicant must state besides a name; docs/access.md has the same list. */
const FIELDS: Readonly<Record<KeyTier, readonly string[]>> = {
  government: ['Government affiliation', 'Official e-mail address', 'Purpose of access'],
  economist: ['Professional affiliation', 'E-mail address of the affiliation', ...RESEARCH],
  academic: ['Academic affiliation', 'Academic e-mail address', ...RESEARCH],
  institutional: [
    ...['Institution', 'E-mail address at the institution', ...RESEARCH],
    'Partnership agreement, or whom to talk to about one',
  ],
};

/** A `mailto:` address (RFC 6068) with everything but the applicant's answers filled in. */
export function keyRequest(area: Area, tier: KeyTier, contact: string): string {
  const { areas } = TIERS[tier];
  const asked = areas.length > 1 ? [`Areas (${formatList(areas)})`] : [];
  const lines = [
    `I request a ${tier} key for the area ${area} (${AREA_WORDS[area].name}).`,
    '',
    ...['Name', ...FIELDS[tier], ...asked].flatMap((field) => [`${field}:`, '']),
  ];
  // RFC 6068: line ends are CR LF.
  const query = { subject: `Key request: ${area}, ${tier}`, body: lines.join('\r\n') };
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `mailto:${contact}?${parameters.join('&')}`;
}

/** A row of a portal's access table. */
export interface AccessRow {
  tier: string;
  /** What it opens. */
  opens: string;
  /** Requests a day. */
  limit: string;
  /** What an applicant must prove. */
  needs: string;
  /** How long a key is valid; empty without a key. */
  lasts: string;
  /** The address of a pre-filled e-mail; null for access without a key. */
  request: string | null;
}

const NEEDS: Readonly<Record<KeyTier, string>> = {
  government: 'a governmental affiliation and an official address; we call the office back',
  economist: 'a verified professional affiliation',
  academic: 'an academic e-mail address, verified by a code',
  institutional: 'a partnership agreement',
};

/** The tiers of an area; access without a key comes first. `contact` receives key requests. */
export function accessRows(area: Area, contact: string): AccessRow[] {
  const quotas = Object.entries(QUOTAS[area]) as [Tier, Quota][];
  return quotas.map(([tier, quota]) => {
    const row = { tier: capitalise(tier), limit: typeof quota === 'number' ? formatNumber(quota) : quota };
    if (!isKeyTier(tier))
      return { ...row, opens: withoutKey(area), needs: 'nothing', lasts: '', request: null };
    const request = keyRequest(area, tier, contact);
    return { ...row, opens: withKey(area), needs: NEEDS[tier], lasts: `${TIERS[tier].days} days`, request };
  });
}

function isKeyTier(tier: Tier): tier is KeyTier {
  return Object.hasOwn(TIERS, tier);
}

function withoutKey(area: Area): string {
  return isRestricted(area) ? 'the public files' : 'all files';
}

function withKey(area: Area): string {
  return isRestricted(area) ? 'all files, including restricted ones; each access is logged' : 'all files';
}

function isRestricted(area: Area): boolean {
  return ARTIFACTS.some((artifact) => artifact.area === area && artifact.restricted);
}

/** Whether any tier of the area needs a key. */
export function hasKeys(area: Area): boolean {
  return Object.keys(QUOTAS[area]).some((tier) => tier !== tierWithoutKey(area));
}
