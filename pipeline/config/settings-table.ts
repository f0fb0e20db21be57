import type { Setting } from './setting.ts';
import { SETTINGS } from './settings.ts';

/** The settings as a table in Markdown, for docs/operations.md. */
export function settingsTable(): string {
  const rows = Object.values(SETTINGS).map((setting: Setting) => {
    const { flag, env, unit, description } = setting;
    const cells = [
      flag && `\`--${flag}\``,
      env && `\`${env}\``,
      setting.default && `\`${setting.default}\``,
      unit,
      description,
    ];
    return `| ${cells.map((cell) => cell ?? '').join(' | ')} |`;
  });
  return ['| flag | variable | default | value | what it does |', '|---|---|---|---|---|', ...rows, ''].join(
    '\n',
  );
}
