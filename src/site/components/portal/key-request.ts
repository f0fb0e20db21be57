import type { Area } from '../../../../pipeline/artifacts/artifact.ts';
import { formatList } from '../../../../pipeline/words/phrase.ts';
import { TIERS, type Tier } from '../../../api/tiers.ts';
import { AREA_WORDS } from '../areas.ts';

export type KeyTier = Tier;

/** What an applicant has to state, as docs/keys.md asks for it. */
const FIELDS: Readonly<Record<KeyTier, readonly string[]>> = {
  government: ['Name', 'Government affiliation', 'Official e-mail address', 'Purpose of access'],
  economist: [
    'Name',
    'Professional affiliation',
    'E-mail address of the affiliation',
    'Research purpose',
    'Expected usage volume (requests a day)',
  ],
  academic: [
    'Name',
    'Academic affiliation',
    'Academic e-mail address',
    'Research purpose',
    'Expected usage volume (requests a day)',
  ],
  institutional: [
    'Name',
    'Institution',
    'E-mail address at the institution',
    'Research purpose',
    'Expected usage volume (requests a day)',
    'Partnership agreement, or whom to talk to about one',
  ],
};

/** A `mailto:` address (RFC 6068) with everything but the applicant's answers filled in. */
export function keyRequest(area: Area, tier: KeyTier, contact: string): string {
  const { areas } = TIERS[tier];
  const asked = areas.length > 1 ? [`Areas (${formatList(areas)})`] : [];
  const lines = [
    `I ask for a key of the tier ${tier} for the area ${area} (${AREA_WORDS[area].name}).`,
    '',
    ...[...FIELDS[tier], ...asked].flatMap((field) => [`${field}:`, '']),
  ];
  // RFC 6068: line ends are CR LF.
  const query = { subject: `Key request: ${area}, ${tier}`, body: lines.join('\r\n') };
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `mailto:${contact}?${parameters.join('&')}`;
}
