import { catalogueTitle } from '../../../pipeline/artifacts/documents/organisation.ts';
import { DESCRIPTION } from '../../../pipeline/formats/catalogue/catalogue.ts';
import { organisationJsonLd } from '../../../pipeline/formats/catalogue/dataset-json-ld.ts';
import { CHANGES_FEED, jsonFeed } from '../../../pipeline/formats/catalogue/feeds.ts';
import { siteFacts } from '../files/site-facts.ts';
import type { SiteRelease } from '../layout/release.ts';

/** The title of an ordinary day, which is no news. Only the newest of them is listed. */
const ORDINARY = /^\d{4}-\d{2}-\d{2}: /;

interface LatestChange {
  title: string;
  /** When it happened, UTC. */
  time: string;
  /** The page about it. */
  href: string;
}

/** The latest entries of the feed, newest first: the newest completed day, multipliers, decisions. Empty in a release without a feed. */
export function latestChanges(release: SiteRelease, count: number): LatestChange[] {
  const feed = jsonFeed(CHANGES_FEED);
  if (!release.find(feed.path)) return [];
  const { items } = release.read(feed);
  const newestDay = items.find(({ title }) => ORDINARY.test(title));
  return items
    .filter((item) => item === newestDay || !ORDINARY.test(item.title))
    .slice(0, count)
    .map(({ url, title, date_published: time }) => ({
      title,
      time,
      href: url.slice(release.baseUrl.length),
    }));
}

/** schema.org descriptions of the site and of its publisher. They are the same in every release. */
export function siteJsonLd(release: SiteRelease): object[] {
  const { organisation: publisher, baseUrl } = release;
  const context = 'https://schema.org/';
  const home = `${baseUrl}/`;
  const organisation = { ...organisationJsonLd(publisher, baseUrl), '@id': `${home}#organisation` };
  const website = {
    '@type': 'WebSite',
    '@id': `${home}#site`,
    name: publisher.name,
    url: home,
    inLanguage: 'en-GB',
  };
  const search = {
    '@type': 'SearchAction',
    target: { '@type': 'EntryPoint', urlTemplate: `${baseUrl}/search/?q={search_term_string}` },
    'query-input': 'required name=search_term_string',
  };
  const logo = `${baseUrl}/icon-512.png`;
  return [
    { '@context': context, ...organisation, logo, email: publisher.contact },
    { '@context': context, ...website, publisher: { '@id': organisation['@id'] }, potentialAction: search },
  ];
}

/** schema.org descriptions of the site, its publisher and its data catalogue. */
export function catalogueJsonLd(release: SiteRelease): object[] {
  const { baseUrl, organisation, asOf, since } = siteFacts(release);
  const home = `${baseUrl}/`;
  return [
    ...siteJsonLd(release),
    {
      '@context': 'https://schema.org/',
      '@type': 'DataCatalog',
      '@id': `${home}#catalogue`,
      name: catalogueTitle(organisation),
      description: DESCRIPTION,
      url: home,
      license: organisation.licence.url,
      dateModified: asOf,
      temporalCoverage: `${since}/${asOf}`,
      isAccessibleForFree: true,
      publisher: { '@id': `${home}#organisation` },
    },
  ];
}
