import { type ConfigData, HtmlValidate } from 'html-validate';

const RULES: ConfigData = {
  extends: ['html-validate:recommended'],
  rules: {
    // Search engines cut a title where they like; what it says stands at its beginning.
    'long-title': 'off',
    // What the templates leave at the end of a line, nobody sees.
    'no-trailing-whitespace': 'off',
    // Several boxes of one name are several values of it.
    'form-dup-name': ['error', { shared: ['radio', 'checkbox'] }],
  },
};

const validator = new HtmlValidate(RULES);

/** What an independent validator finds wrong with a page, each as `line rule: words`. */
export async function htmlFaults(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  return results
    .flatMap(({ messages }) => messages)
    .map(({ line, ruleId, message }) => `${line} ${ruleId}: ${message}`);
}
