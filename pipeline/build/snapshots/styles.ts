import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '../../config/project.ts';
import { asDiskErrors, replaceFile } from '../../disk/durable.ts';
import { sha256 } from '../../release/format/manifest.ts';
import { ASSETS } from '../../release/format/snapshot-index.ts';

/** The style sheets of the site that these pages use, in the site's order. */
const STYLES = ['fonts', 'tokens', 'base', 'page', 'site', 'data', 'print'];
const FONT = /url\(\/fonts\/([\w-]+)\.woff2\)/g;
const HASH_DIGITS = 12;

/**
 * Publishes the style sheet and fonts of the snapshots' pages beside them, named by their content: those of a release disappear with it,
 * but these pages stay. Returns the style sheet's path from the root. Throws publish_failed.
 */
export async function publishStyles(out: string): Promise<string> {
  const folder = join(out, ASSETS);
  await asDiskErrors(folder, () => mkdir(folder, { recursive: true }));
  const there = new Set(await asDiskErrors(folder, () => readdir(folder)));
  const keep = async (name: string, ending: string, content: Buffer) => {
    const file = `${name}-${sha256(content).slice(0, HASH_DIGITS)}.${ending}`;
    if (!there.has(file)) await replaceFile(join(folder, file), content);
    return file;
  };
  const texts = await Promise.all(
    STYLES.map((name) => readFile(join(PROJECT, 'src/site/layouts/styles', `${name}.css`), 'utf8')),
  );
  let text = texts.join('\n');
  for (const [url, name] of new Map([...text.matchAll(FONT)].map(([url, name]) => [url, name!]))) {
    const font = await keep(name, 'woff2', await readFile(join(PROJECT, 'public/fonts', `${name}.woff2`)));
    text = text.replaceAll(url, `url(${font})`);
  }
  return `/${ASSETS}/${await keep('look', 'css', Buffer.from(text))}`;
}
