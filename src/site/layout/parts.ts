/** The parts of a text in HTML: its second-level headings that have an address, with their titles in HTML. A folded part has it below its title. */
export function partsOf(html: string): { id: string; title: string }[] {
  const headings = html.matchAll(
    /<h2[^>]* id="([^"]+)"[^>]*>(.*?)<\/h2>|<summary[^>]*><h2[^>]*>(.*?)<\/h2>.*?<\/summary>\s*<div id="([^"]+)"/gs,
  );
  return [...headings].map(([, id, title, folded, foldedId]) => ({
    id: (id ?? foldedId)!,
    title: (title ?? folded)!.replaceAll(/<[^>]+>/g, ''),
  }));
}
