import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { startRun } from '../../src/simulation/run.ts';
import { textOf } from '../../src/simulation/scenario.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { startWorld } from '../../src/simulation/start-world.ts';
import { parseRunAddress } from '../../src/site/simulation/run-address.ts';
import { openClient } from '../sidecar/simulation/simulation-client.ts';
import { simulationServer } from '../sidecar/simulation/simulation-server.ts';
import { type Built, buildFixture } from './build-fixture.ts';

/** Everything that a browser loads before anybody plays, compressed as served. */
const BUDGET = 150_000;

let built: Built;
let pages: Record<'play' | 'model' | 'protocol', string>;

beforeAll(async () => {
  built = await buildFixture();
  const read = (path: string) => readFile(join(built.out, `philosophy/simulation/${path}index.html`), 'utf8');
  pages = { play: await read(''), model: await read('model/'), protocol: await read('protocol/') };
});

const unescaped = (html: string) =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll(/&quot;|&#34;/g, '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
const wordsOf = (html: string) => unescaped(html.replaceAll(/<[^>]+>/g, ''));

describe('without a script', () => {
  test.each(SCENARIOS)('the page tells of $name with its story and how it can end', (scenario) => {
    const words = wordsOf(pages.play);
    const { name, title, story, endings } = scenario;
    const question = textOf(scenario.question, startWorld(scenario, 1));
    for (const text of [title, question, ...story, ...endings.map(({ title }) => title)])
      expect(words).toContain(text);
    // The endings are not given away where one chooses and plays.
    const [above = ''] = pages.play.split('id="model"');
    expect(above).toContain(`data-scenario="${name}"`);
    for (const { title: ending } of endings) expect(wordsOf(above)).not.toContain(ending);
  });

  test('it says what is needed to play, shows no control that does nothing, and leads to model and protocol', () => {
    expect(pages.play).toMatch(/<noscript>\s*<p>\s*Playing on this page needs JavaScript/);
    expect(pages.play).toMatch(/<section data-part="play"[^>]* hidden/);
    for (const path of ['model/', 'protocol/'])
      expect(pages.play).toContain(`href="/philosophy/simulation/${path}"`);
  });

  test('the sheet for teachers links to the start of each scenario, and gives no ending away', () => {
    const [, sheet = ''] = pages.play.split('id="teachers"');
    const links = [...sheet.matchAll(/href="(\/philosophy\/simulation\/\?[^"]+)"/g)].map(
      ([, href]) => new URL(unescaped(href!), 'https://data.example.org').searchParams,
    );
    expect(links.map((parameters) => parseRunAddress(parameters))).toEqual(
      SCENARIOS.map(({ name }) => [startRun(name, 1)]),
    );
    for (const parameters of links) expect(parameters.has('v')).toBe(true);
    for (const { title } of SCENARIOS.flatMap(({ endings }) => endings)) expect(sheet).not.toContain(title);
  });
});

test('until somebody plays, the page loads at most 150 kB with styles, scripts and fonts', async () => {
  const { files } = await listTree(built.out);
  const referenced = (text: string) =>
    [...text.matchAll(/(?:href="|src="|url\()\/((?:_astro|fonts)\/[^")]+\.(?:css|js|woff2))/g)].map(
      ([, path]) => path!,
    );
  const assets = referenced(pages.play).filter((path) => files.includes(path));
  const styles = assets.filter((path) => path.endsWith('.css'));
  const read = (path: string) => readFile(join(built.out, path));
  const fonts = (await Promise.all(styles.map(async (path) => referenced(String(await read(path))))))
    .flat()
    // The others have letters that this page does not show.
    .filter((path) => /cathedral-(serif|sans)-latin-[46]00/.test(path));
  expect(fonts.length).toBeGreaterThan(2);
  const sizes = await Promise.all(
    [...new Set([...assets, ...fonts])].map(async (path) => {
      const bytes = await read(path);
      return path.endsWith('.woff2') ? bytes.length : gzipSync(bytes).length;
    }),
  );
  const total = sizes.reduce((sum, size) => sum + size, gzipSync(pages.play).length);
  expect(total).toBeLessThan(BUDGET);
  // What plays is loaded when somebody does.
  const [, play = ''] = /data-play="\/([^"]+)"/.exec(pages.play) ?? [];
  expect(files).toContain(play);
  expect(assets).not.toContain(play);
});

test('the page of the protocol shows an example of every message, which the service answers or sends', async () => {
  const { url } = await simulationServer();
  const client = await openClient(url);
  await client.ask({ action: 'start_simulation', scenario: 'model_drift', seed: 1, paused: true });
  const messages = pages.protocol.split('<h3 id="message-').slice(1);
  expect(messages).toHaveLength(10);
  for (const html of messages) {
    const examples = [...html.matchAll(/<pre><code>(.*?)<\/code>/gs)].map(([, text]) => unescaped(text!));
    expect(examples).not.toEqual([]);
    for (const example of examples.map((text) => JSON.parse(text)))
      if ('action' in example) expect(await client.ask({ ...example, id: 1 })).toMatchObject({ reply_to: 1 });
      else expect(html).toContain(`${example.type}</code>`);
  }
});
