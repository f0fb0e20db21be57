import { expect, test } from 'vitest';
import { paperHtml } from '../../../pipeline/build/site/paper-html.ts';

test('a text is HTML with anchors, and code without colours', async () => {
  const html = await paperHtml(new Map([['one', '# A title\n\nA *word*.\n\n```js\nlet a;\n```\n']]));
  expect(html.get('one')).toContain('<h1 id="a-title">A title</h1>');
  expect(html.get('one')).toContain('<em>word</em>');
  expect(html.get('one')).not.toContain('style=');
});

test.each(['![](x.png)', '![](100%)'])('a picture that is not published is refused: %s', async (text) => {
  await expect(paperHtml(new Map([['one', `# A title\n\n${text}\n`]]))).rejects.toMatchObject({
    code: 'document_invalid',
    place: 'papers/one.md',
  });
});

test('a picture with an address of its own stays', async () => {
  const html = await paperHtml(new Map([['one', '![A map](https://example.org/map.png)']]));
  expect(html.get('one')).toContain('<img src="https://example.org/map.png" alt="A map"');
});
