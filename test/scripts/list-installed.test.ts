import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { listInstalled } from '../../scripts/list-installed.ts';

interface Component {
  name: string;
  version: string;
}

test('the list of what an installation has names the program, every package that is not for development alone, and Node', async ({
  skip,
}) => {
  const text = await listInstalled();
  // What npm 9 of Debian cannot list.
  if (text === null) return skip();
  const { metadata, components } = JSON.parse(text) as {
    metadata: { component: Component };
    components: Component[];
  };
  expect(metadata.component).toMatchObject({ name: 'cathedral-data-service', version: '1.0.0' });
  const locked = new Set<string>();
  for (const path of ['npm-shrinkwrap.json', 'scripts/node/npm-shrinkwrap.json']) {
    const { packages } = JSON.parse(await readFile(path, 'utf8')) as {
      packages: Record<string, { version: string; dev?: boolean }>;
    };
    for (const [place, { version, dev }] of Object.entries(packages))
      if (place !== '' && !dev) locked.add(`${place.replace(/.*node_modules\//, '')}@${version}`);
  }
  expect(components.map(({ name, version }) => `${name}@${version}`).sort()).toEqual([...locked].sort());
});
