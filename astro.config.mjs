import { createReadStream, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import { mediaTypeOf } from './pipeline/release/format/media-types.ts';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// Set by pipeline/build/site/compile-site.ts, for each run its own, and by scripts/dev.sh; without them (an editor) the defaults hold.
const { CATHEDRAL_SITE_CACHE, CATHEDRAL_OUT } = process.env;
const below = (folder) =>
  CATHEDRAL_SITE_CACHE ? `${CATHEDRAL_SITE_CACHE}/${folder}` : here(`dist-site/${folder}`);

const SERVER_ONLY = /\/node_modules\/(csv-stringify|bibtex-parse)\//;

/** `npm run dev`: what pages link to and load, from the newest release. */
const filesOfRelease = {
  name: 'files-of-release',
  configureServer({ middlewares }) {
    middlewares.use((request, response, next) => {
      // A normalised absolute path cannot leave its root.
      const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
      const isBeside = /^\/(log|snapshots)\//.test(path);
      const file = join(CATHEDRAL_OUT, isBeside ? '' : 'current/public', path);
      const isPage = /\.html$|^\/_astro\/(?!duckdb-)/.test(path);
      if (isPage || !statSync(file, { throwIfNoEntry: false })?.isFile()) return next();
      const hasEnding = /\.[a-z]\w*$/.test(path);
      response.setHeader('content-type', hasEnding ? mediaTypeOf(path) : 'application/json');
      pipeline(createReadStream(file), response, () => {});
    });
  },
};

export default defineConfig({
  srcDir: here('src/site'),
  publicDir: here('public'),
  outDir: below('client'),
  cacheDir: below('cache'),
  output: 'server',
  // The compiled site is a function that answers requests. It knows no release and no port: whoever calls it says which release.
  adapter: node({ mode: 'middleware', experimentalDisableStreaming: true }),
  // What is not there needs no folder to write to.
  session: false,
  integrations: [
    {
      name: 'cathedral',
      hooks: {
        'astro:config:setup': ({ addMiddleware, command, injectRoute }) => {
          addMiddleware({
            order: 'pre',
            entrypoint: new URL('src/site/layout/release-of-request.ts', import.meta.url),
          });
          addMiddleware({
            order: 'post',
            entrypoint: new URL('src/site/layout/show-directions.ts', import.meta.url),
          });
          injectRoute({
            pattern: '/-/pages.json',
            entrypoint: new URL('src/site/page-lists.ts', import.meta.url),
            prerender: false,
          });
          // Every part of the pages at one address, for whoever changes them.
          if (command === 'dev')
            injectRoute({
              pattern: '/styleguide/',
              entrypoint: new URL('src/site/styles/StyleguidePage.astro', import.meta.url),
              prerender: false,
            });
        },
      },
    },
  ],
  image: { service: { entrypoint: 'astro/assets/services/noop' } },
  // A page's address ends with a slash, and that of a file which is made from data does not.
  trailingSlash: 'ignore',
  // The lossless one: the default would join words across lines of the source.
  compressHTML: true,
  // Styles in files, so that a content security policy without inline style is possible.
  build: {
    format: 'directory',
    inlineStylesheets: 'never',
    client: below('client'),
    server: below('server'),
  },
  devToolbar: { enabled: false },
  // Colours of code would be inline styles.
  markdown: { syntaxHighlight: false },
  vite: {
    cacheDir: below('cache/vite'),
    plugins: CATHEDRAL_OUT ? [filesOfRelease] : [],
    environments: {
      // It runs from the release's folder, where there are no packages; names without a hash, which would be one of paths of
      // this machine.
      ssr: {
        ...(CATHEDRAL_OUT ? {} : { resolve: { noExternal: true } }),
        build: { minify: true, rolldownOptions: { output: { chunkFileNames: 'chunks/[name].mjs' } } },
      },
    },
    // Fonts stay files: one is loaded only where its characters occur.
    build: { assetsInlineLimit: 0 },
    // Charts in the browser come with modules that write files on a server. What only those import is left out: it does
    // not say of itself that it may be, and csv-stringify needs a Buffer as soon as it is loaded.
    worker: {
      rolldownOptions: { treeshake: { moduleSideEffects: (id) => !SERVER_ONLY.test(id) } },
    },
  },
});
