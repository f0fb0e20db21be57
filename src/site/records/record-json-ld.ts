import type { SiteRelease } from '../layout/release.ts';
import type { Decision } from './decisions.ts';
import { CONSENSUS_WORDS, type Deliberation, stanceNote } from './deliberations.ts';

/** What all records have in schema.org's terms. */
function common({ baseUrl, organisation }: SiteRelease, href: string) {
  return {
    '@context': 'https://schema.org/',
    '@id': `${baseUrl}${href}#record`,
    url: `${baseUrl}${href}`,
    inLanguage: 'en',
    license: organisation.licence.url,
    publisher: { '@id': `${baseUrl}/#organisation` },
    isPartOf: { '@type': 'WebSite', '@id': `${baseUrl}/#site`, name: organisation.name, url: `${baseUrl}/` },
  };
}

/** A decision is a report of what was decided and why. */
export function decisionJsonLd(release: SiteRelease, one: Decision): object {
  return {
    ...common(release, one.href),
    '@type': 'Report',
    name: one.topic,
    identifier: one.id,
    datePublished: one.date,
    abstract: one.outcome,
    ...(one.reasoning !== '' && { text: one.reasoning }),
    ...(one.frameworks_applied.length > 0 && { keywords: one.frameworks_applied }),
  };
}

/** A deliberation is a conversation on a topic; the positions are comments, each with its own address. */
export function deliberationJsonLd(release: SiteRelease, one: Deliberation): object {
  const own = common(release, one.href);
  return {
    ...own,
    '@type': 'Conversation',
    name: one.topic,
    identifier: one.id,
    ...(one.opened !== null && { dateCreated: one.opened }),
    ...(one.closed !== null && { datePublished: one.closed }),
    creativeWorkStatus: CONSENSUS_WORDS[one.consensus],
    ...(one.outcome !== '' && { abstract: one.outcome }),
    hasPart: one.positions.map(({ id, position, reasoning }, index) => ({
      '@type': 'Comment',
      '@id': `${own.url}#position-${index + 1}`,
      url: `${own.url}#position-${index + 1}`,
      name: `${id}: ${stanceNote(position).text}`,
      ...(reasoning.trim() !== '' && { text: reasoning }),
    })),
  };
}

/** The page of a sentinel, about something for which schema.org has no type. */
export function sentinelJsonLd(
  release: SiteRelease,
  { id, href, cathedral }: { id: string; href: string; cathedral: string },
  asOf: string,
): object {
  const own = common(release, href);
  return {
    ...own,
    '@type': 'ProfilePage',
    name: id,
    dateModified: asOf,
    mainEntity: {
      '@type': 'Thing',
      name: id,
      identifier: id,
      description: `Sentinel of ${cathedral}`,
      url: own.url,
    },
  };
}
