export { useBrowser } from '../../setups/use-browser.ts';
export { type Built, buildFixture } from '../../site/build-fixture.ts';
export { serveStatic } from '../../site/static-host.ts';
export { layOutWhole, violations } from '../../site/visit.ts';
