import { readFileSync } from 'node:fs';
import { createRequire, registerHooks, stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroComponentFactory } from 'astro/runtime/server/index.js';
import { INSTALLED, moduleUrl, PROJECT } from '../../config/project.ts';
import type { Snapshot, SnapshotIndex } from '../../release/format/snapshot-index.ts';

/** What the pages below /snapshots/ need to know about the service. */
export interface PageContext {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Path of the style sheet, from the root. */
  style: string;
}

const PAGES = join(PROJECT, 'src/site/snapshots');

export function renderSnapshotPage(snapshot: Snapshot, { baseUrl, style }: PageContext): Promise<string> {
  return render('SnapshotPage', { snapshot, baseUrl, style });
}

/** @param days for how many days every snapshot is kept */
export function renderSnapshotList(
  index: SnapshotIndex,
  days: number,
  { style }: PageContext,
): Promise<string> {
  return render('SnapshotListPage', { index, days, style });
}

/**
 * Renders an Astro component by itself. A snapshot's page shows the hash of the signed manifest, which exists only after the site
 * build, so that build cannot make it.
 */
async function render(page: string, props: Record<string, unknown>): Promise<string> {
  renderer ??= openRenderer();
  const { container, load } = await renderer;
  return container.renderToString(load(join(PAGES, `${page}.astro`)).default, { props, partial: false });
}

let renderer: ReturnType<typeof openRenderer> | undefined;

async function openRenderer() {
  const { transform } = await import('@astrojs/compiler-rs');
  const { experimental_AstroContainer: Container } = await import('astro/container');
  registerHooks({
    // A component names sources, of which an installed package runs the compiled form.
    resolve(specifier, context, next) {
      if (!context.parentURL?.endsWith('.astro') || !/^\..*\.ts$/.test(specifier))
        return next(specifier, context);
      const source = relative(PROJECT, fileURLToPath(new URL(specifier, context.parentURL)));
      return next(moduleUrl(source as `${string}.ts`).href, context);
    },
    load(url, context, next) {
      if (!url.endsWith('.astro')) return next(url, context);
      const filename = fileURLToPath(url);
      const { code } = transform(readFileSync(filename, 'utf8'), {
        filename,
        compact: true,
        internalURL: 'astro/compiler-runtime',
        resultScopedSlot: true,
        resolvePath: (specifier) => specifier,
      });
      return INSTALLED
        ? { format: 'module', source: stripTypeScriptTypes(code), shortCircuit: true }
        : { format: 'module-typescript', source: code, shortCircuit: true };
    },
  });
  const load = createRequire(import.meta.url) as (path: string) => { default: AstroComponentFactory };
  return { container: await Container.create(), load };
}
