export { type Built, buildFixture } from '../../site/build-fixture.ts';
