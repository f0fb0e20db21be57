/** C-0 is 2025-07-03. */
export function cycleLabel(timestamp: string): string {
  return `C-${Math.floor((Date.parse(timestamp) - Date.parse('2025-07-03')) / 86_400_000)}`;
}
