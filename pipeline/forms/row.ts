/**
 * A cell: decimals, dates and date-times as the text that they are published as, lists as arrays; null where it is
 * empty.
 */
export type Value = string | number | boolean | null | readonly unknown[];

/** Cells in the order of the table's columns. */
export type Row = readonly Value[];
