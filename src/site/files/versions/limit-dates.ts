import type { ListedSnapshots } from '../../../../pipeline/verify/versions/listed-snapshots.ts';
import { checkDays } from '../../layout/day-field.ts';

/** Lets the date fields of a form take only days of which there can be a snapshot. A host that does not answer limits nothing. */
export async function limitDates(listed: ListedSnapshots, form: HTMLFormElement): Promise<void> {
  const ends = await listed.ends().catch(() => null);
  if (!ends) return;
  for (const input of form.querySelectorAll<HTMLInputElement>('.day-field')) {
    input.dataset.min = ends.oldest.as_of.slice(0, 10);
    input.dataset.max = ends.newest.as_of.slice(0, 10);
  }
  checkDays(form);
}
