import { embedPath } from '../chart-address.ts';
import { escapeText } from './element.ts';

export interface EmbedFrame {
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
