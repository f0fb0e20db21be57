import { SETTINGS, type SettingName } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';

/** The value of a setting that a command cannot do without. Throws usage. */
export function required<T>(name: SettingName, value: T | null): T {
  if (value !== null) return value;
  const { flag, unit } = SETTINGS[name];
  throw new CathedralError('usage', { place: `--${flag}`, expected: unit, found: 'no value' });
}
