import { describe, expect, test } from 'vitest';
import { showDirections, showDirectionsInHtml } from '../../pipeline/artifacts/format/show-directions.ts';
import { textElement } from '../../pipeline/charts/drawing/element.ts';

const RLO = '\u202e';

describe('characters that turn the writing round', () => {
  test('are shown by their names, in charts too; marks and letters stay', () => {
    expect(showDirections(`a${RLO}b\u2066c\u2069 \u200f\u05d0`)).toBe(
      'a[U+202E]b[U+2066]c[U+2069] \u200f\u05d0',
    );
    expect(textElement('text', {}, `a${RLO}`)).toBe('<text>a[U+202E]</text>');
  });

  test('are shown in the text of a page and what is read out of it, not in what programs read', () => {
    const kept = `<script>"${RLO}<p>"</script><!-- ${RLO} --><input value="${RLO}" data-of='${RLO}>'>`;
    const html = `<title>${RLO}</title><meta content="a > ${RLO}">${kept}<p title='${RLO}'>1 < 2 ${RLO}</p>${RLO}`;
    const shown = '[U+202E]';
    expect(showDirectionsInHtml(html)).toBe(
      `<title>${shown}</title><meta content="a > ${shown}">${kept}<p title='${shown}'>1 < 2 ${shown}</p>${shown}`,
    );
    expect(showDirectionsInHtml(kept.replaceAll(RLO, ''))).toBe(kept.replaceAll(RLO, ''));
  });
});
