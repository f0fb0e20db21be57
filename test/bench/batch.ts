import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import { build, type Rolldown } from 'vite';
import { headersFor } from '../../pipeline/release/format/headers.ts';
import type { ManifestFile } from '../../pipeline/release/format/manifest.ts';
import type { SetUp } from '../../src/simulation/laboratory/set-up.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { randomPlan } from '../../src/site/components/simulation/laboratory/presets.ts';
import { newSetUp } from '../../src/site/components/simulation/laboratory/set-up-address.ts';
import { launchBrowser } from '../site/visit.ts';
import { measure } from './child.ts';
import { compare, type Report } from './figure.ts';

const WORKER = '../../src/site/components/simulation/laboratory/batch-worker.ts';
/** Of each in turn, of which the least counts: what else runs on the machine only ever adds. */
const ROUNDS = 5;
const MOST = 2;

/**
 * A batch of 200 seeds in a fresh worker of Chromium, from its start to its last row, beside the same batch in a fresh process of Node, without the start of
 * the process.
 */
export async function batch(report: Report): Promise<void> {
  const script = await bundle();
  const server = createServer(({ url }, response) => {
    const isScript = url === '/worker.js';
    const file = isScript
      ? { path: 'worker.js', kind: 'asset', media_type: 'text/javascript' }
      : { path: 'index.html', kind: 'page', media_type: 'text/html' };
    response.writeHead(200, headersFor(file as ManifestFile)).end(isScript ? script : '<!doctype html>');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const setUps = SCENARIOS.map(({ name }) => ({ ...newSetUp(name), plan: randomPlan(name) }));
    for (const setUp of setUps) {
      const [browsers, nodes]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round += 1) {
        browsers.push(await playInChromium(page, setUp));
        nodes.push((await measure('play-batch', [JSON.stringify(setUp)])).ms);
      }
      const what = `a batch of 200 seeds of ${setUp.scenario} in Chromium ÷ in Node`;
      report(compare(what, Math.min(...browsers), Math.min(...nodes), 'ms', MOST));
    }
  } finally {
    await browser.close();
    server.close();
  }
}

/** The worker as the site has it, in one script. */
async function bundle(): Promise<string> {
  const entry = fileURLToPath(new URL(WORKER, import.meta.url));
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, lib: { entry, formats: ['iife'], name: 'worker' } },
  })) as Rolldown.RolldownOutput[];
  return built[0]!.output[0].code;
}

/** ms */
function playInChromium(page: Page, setUp: SetUp): Promise<number> {
  return page.evaluate(
    (given) =>
      new Promise<number>((resolve, reject) => {
        const start = performance.now();
        const worker = new Worker('/worker.js');
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.onmessage = ({ data }) => {
          if (!data.isDone) return;
          worker.terminate();
          resolve(performance.now() - start);
        };
        worker.postMessage(given);
      }),
    setUp,
  );
}
