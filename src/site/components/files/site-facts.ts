import { CITATIONS_PATH } from '../../../../pipeline/artifacts/academics/citations.ts';
import { eventsByDay } from '../../../../pipeline/artifacts/academics/events-by-day.ts';
import { mii } from '../../../../pipeline/artifacts/economy/mii.ts';
import { cslCitations } from '../../../../pipeline/forms/catalogue/citation.ts';
import type { CatalogueFacts } from '../../../../pipeline/forms/catalogue/facts.ts';
import { isSlotId, nextSlotId, slotId, slotTimestamp } from '../../../../pipeline/ledger/slot.ts';
import type { DraftManifest } from '../../../../pipeline/release/format/manifest.ts';
import type { SiteRelease } from '../release.ts';

/** The author of the first entry, inside the braces that mark an organisation. */
const BIBTEX_AUTHOR = /^ {2}author = \{\{(.*)\}\},$/m;

/** The facts that catalogues and citations are written from, as far as the release's files give them: `since` is a day. */
export function siteFacts(release: SiteRelease): CatalogueFacts {
  const { timestamp: asOf, ledger, files } = release.draft;
  const { cycle } = release.read(mii);
  const since = release.read(eventsByDay)[0]?.date ?? asOf.slice(0, 10);
  return { baseUrl: release.baseUrl, author: authorOf(release), since, asOf, cycle, ledger, files };
}

/** The publisher as citations name it. A release without catalogues has it in LaTeX only, which is the same for most names. */
function authorOf(release: SiteRelease): string {
  if (release.willHave(cslCitations.path)) return release.read(cslCitations)[0].publisher;
  return BIBTEX_AUTHOR.exec(release.text(CITATIONS_PATH))?.[1] ?? '';
}

/**
 * When the next release is due, ISO 8601: the slot after this snapshot's, or after the last event for a snapshot that is not
 * named after a slot.
 */
export function nextRelease({ ledger, timestamp }: Pick<DraftManifest, 'ledger' | 'timestamp'>): string {
  const slot = isSlotId(ledger.snapshot) ? ledger.snapshot : slotId(Date.parse(timestamp));
  return slotTimestamp(nextSlotId(slot));
}
