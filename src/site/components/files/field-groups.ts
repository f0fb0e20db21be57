import type { Field } from '../../../../pipeline/artifacts/data-dictionary.ts';

/** Fields that stand together in the file: at its top, in one object of it, or in each element of one list. */
export interface FieldGroup {
  /** `''` for the top, `compliance`, `sentinels[]`, `by_cathedral.<name>`. */
  path: string;
  /** What the list or object is. */
  description: string;
  /** `name` is without the group's path. */
  fields: (Field & { id: string })[];
}

/** A list of lists, a list or an object with names of its own; then the member in it. */
const IN_LIST = /^(.*(?:\[\]|\.<name>))\.(.+)$/;
const IN_OBJECT = /^([^.]+)\.(.+)$/;

/** The fields of a file by where they stand, so that long schemas read part by part; each group is as in the file. */
export function fieldGroups(fields: readonly Field[]): FieldGroup[] {
  const groups = new Map<string, FieldGroup>();
  for (const field of fields) {
    const [, path = '', name = field.name] = IN_LIST.exec(field.name) ?? IN_OBJECT.exec(field.name) ?? [];
    const group = groups.get(path) ?? { path, description: descriptionOf(fields, path), fields: [] };
    group.fields.push({ ...field, name, id: fieldId(field.name) });
    groups.set(path, group);
  }
  return [...groups.values()];
}

function descriptionOf(fields: readonly Field[], path: string): string {
  const container = path.replace(/(\[\]|\.<name>)$/, '');
  return fields.find(({ name }) => name === container)?.description ?? '';
}

/** Of a field's row, for links into the page: `sentinels[].score` → `field-sentinels-score`. */
function fieldId(name: string): string {
  return `field-${name.replaceAll(/[^A-Za-z0-9_]+/g, '-').replace(/-$/, '')}`;
}
