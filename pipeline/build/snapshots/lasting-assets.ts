import { mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { asDiskErrors, exists, replaceFile } from '../../disk/durable.ts';
import { sha256 } from '../../release/format/manifest.ts';
import { ASSETS } from '../../release/format/snapshot-index.ts';

/** What a page or a style sheet of the site loads, with what stands before it. Pictures and the icon stay where they are. */
const LOADED = /(["(])(\/(?:_astro|fonts)\/[\w./-]+\.(css|js|woff2))(?=[")])/g;
const HASH_DIGITS = 12;

/**
 * Keeps the styles, scripts and fonts that a page loads beside the snapshots, named by their content: those of a release disappear with
 * it, but the page stays. Returns the page, or style sheet, with their new addresses. Throws publish_failed.
 *
 * @param dir the release's folder
 */
export async function keepAssets(out: string, dir: string, text: string): Promise<string> {
  const kept = new Map<string, string>();
  for (const [, , path, ending] of text.matchAll(LOADED))
    if (!kept.has(path!)) kept.set(path!, await keepAsset(out, dir, { path: path!, ending: ending! }));
  return text.replace(LOADED, (_, before, path) => `${before}${kept.get(path)}`);
}

async function keepAsset(
  out: string,
  dir: string,
  { path, ending }: { path: string; ending: string },
): Promise<string> {
  const place = join(dir, 'public', path);
  const bytes = await asDiskErrors(place, () => readFile(place));
  const content = ending === 'css' ? Buffer.from(await keepAssets(out, dir, bytes.toString())) : bytes;
  // `Page.DxNs1_ab.css` → `Page`, `snapshot-page-8AC-M0As.js` → `snapshot-page`
  const [, name = ''] = /^([\w-]+?)(?:[.-][\w-]{8})?\.\w+$/.exec(basename(path)) ?? [];
  const file = `${name}-${sha256(content).slice(0, HASH_DIGITS)}.${ending}`;
  const folder = join(out, ASSETS);
  await asDiskErrors(folder, () => mkdir(folder, { recursive: true }));
  if (!(await exists(join(folder, file)))) await replaceFile(join(folder, file), content);
  return `/${ASSETS}/${file}`;
}
