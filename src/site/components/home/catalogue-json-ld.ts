import { DESCRIPTION, LICENCE, TITLE } from '../../../../pipeline/forms/catalogue/facts.ts';
import { siteFacts } from '../files/site-facts.ts';
import type { SiteRelease } from '../release.ts';

/** schema.org descriptions of the whole: the site, who publishes it, and the catalogue of its data. */
export function catalogueJsonLd(release: SiteRelease): object[] {
  const { baseUrl, author, asOf, since } = siteFacts(release);
  const context = 'https://schema.org/';
  const home = `${baseUrl}/`;
  const organisation = { '@type': 'Organization', '@id': `${home}#organisation`, name: author, url: home };
  const website = { '@type': 'WebSite', '@id': `${home}#site`, name: TITLE, url: home, inLanguage: 'en-GB' };
  const search = {
    '@type': 'SearchAction',
    target: { '@type': 'EntryPoint', urlTemplate: `${baseUrl}/search/?q={search_term_string}` },
    'query-input': 'required name=search_term_string',
  };
  const logo = `${baseUrl}/icon-512.png`;
  return [
    { '@context': context, ...organisation, logo, email: release.contact },
    { '@context': context, ...website, publisher: { '@id': organisation['@id'] }, potentialAction: search },
    {
      '@context': context,
      '@type': 'DataCatalog',
      '@id': `${home}#catalogue`,
      name: TITLE,
      description: DESCRIPTION,
      url: home,
      license: LICENCE.path,
      dateModified: asOf,
      temporalCoverage: `${since}/${asOf}`,
      isAccessibleForFree: true,
      publisher: { '@id': organisation['@id'] },
    },
  ];
}
