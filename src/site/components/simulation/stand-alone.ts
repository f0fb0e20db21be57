/** The same picture with the page’s colours of now in place of their names, so that it can be opened by itself. */
export function standAlone(svg: string, colour: (name: string) => string): string {
  const paper = colour('--paper');
  return svg
    .replaceAll(/var\((--[\w-]+)\)/g, (_, name: string) => colour(name))
    .replace(/(<svg[^>]*>)/, `$1<rect width="100%" height="100%" fill="${paper}"/>`);
}
