import { escapeText } from './drawing/element.ts';

/** What networks, mail programs and campaign tools write after any address that is shared; no control has such a name. */
const FOREIGN =
  /^(utm_\w+|fbclid|gclid|gbraid|wbraid|dclid|msclkid|twclid|ttclid|li_fat_id|igshid|mc_[ce]id|_hs\w+|ref_src)$/;

/**
 * The parameters of a page's address that are the page's: a chart that was shared is still the chart, while a parameter
 * that is merely misspelt is for the page to refuse. What a form left empty was not filled in.
 */
export function ownParameters(search: string): URLSearchParams {
  const given = [...new URLSearchParams(search)];
  return new URLSearchParams(given.filter(([name, value]) => value !== '' && !FOREIGN.test(name)));
}

/** Addresses of one chart in one state; `query` is what `formatChartState` gives, empty for the default. */

/** `/charts/supply/?series=burned` */
export function pagePath(id: string, query: string): string {
  return withQuery(`/charts/${id}/`, query);
}

/** `/embed/supply/?series=burned` */
export function embedPath(id: string, query: string): string {
  return withQuery(`/embed/${id}/`, query);
}

export function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}

interface EmbedFrame {
  /** Without a slash at the end. */
  baseUrl: string;
  id: string;
  /** Canonical parameters of the state. */
  query: string;
  title: string;
  /** px, or as wide as its place. */
  width: number | '100%';
  /** px */
  height: number;
}

/** HTML of a frame that shows the chart as it is whenever it is looked at. */
export function embedFrame({ baseUrl, id, query, title, width, height }: EmbedFrame): string {
  const src = escapeText(baseUrl + embedPath(id, query));
  return `<iframe src="${src}" title="${escapeText(title)}" width="${width}" height="${height}" loading="lazy" style="border:0"></iframe>`;
}
