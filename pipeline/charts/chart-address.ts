import { escapeText } from './drawing/element.ts';

/** Tracking parameters that networks, mail programs and campaign tools append to shared addresses. */
const FOREIGN =
  /^(utm_\w+|fbclid|gclid|gbraid|wbraid|dclid|msclkid|twclid|ttclid|li_fat_id|igshid|mc_[ce]id|_hs\w+|ref_src)$/;

/**
 * The parameters of an address without tracking parameters and empty form fields. The page refuses any other unknown
 * parameter, such as a misspelt one.
 */
export function ownParameters(search: string): URLSearchParams {
  const given = [...new URLSearchParams(search)];
  return new URLSearchParams(given.filter(([name, value]) => value !== '' && !FOREIGN.test(name)));
}

/** `/charts/supply/?series=burned`; `query` is the result of `formatChartState`, empty for the default state. */
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
  /** px, or the width of the parent element. */
  width: number | '100%';
  /** px */
  height: number;
}

/** HTML of a frame that always shows the current chart. */
export function embedFrame({ baseUrl, id, query, title, width, height }: EmbedFrame): string {
  const src = escapeText(baseUrl + embedPath(id, query));
  return `<iframe src="${src}" title="${escapeText(title)}" width="${width}" height="${height}" loading="lazy" style="border:0"></iframe>`;
}

/** Sets the height of this service's frames to what their charts report; without it a frame keeps its attribute. */
const listener = (origin: string) => `<script>
(function (origin) {
  addEventListener('message', function (event) {
    var told = event.origin === origin && event.data && event.data.type === 'cathedral-embed' ? event.data.height : 0;
    if (!(told > 0 && told < 20000)) return;
    document.querySelectorAll('iframe').forEach(function (frame) {
      if (frame.contentWindow === event.source) frame.style.height = told + 'px';
    });
  });
})(${JSON.stringify(origin)});
</script>`;

/** What people paste into their pages: the frame as wide as its place, and a script that follows its height. */
export function embedCode(frame: Omit<EmbedFrame, 'width'>): string {
  return `${embedFrame({ ...frame, width: '100%' })}\n${listener(new URL(frame.baseUrl).origin)}`;
}
