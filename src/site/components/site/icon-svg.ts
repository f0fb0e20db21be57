const GROUND = '#26384a';
const LINES = '#f6f2e8';
const SIDE = 32;

interface IconShape {
  /** Of the corners, in 32nds of the side: systems that cut an icon themselves get a whole square. */
  radius: number;
  /** How much of the side the drawing takes. */
  scale: number;
}

/** The mark of the service, two arches, as an SVG document. */
export function iconSvg({ radius, scale }: IconShape): string {
  const margin = (SIDE * (1 - scale)) / 2;
  const place = scale === 1 ? '' : ` transform="translate(${margin} ${margin}) scale(${scale})"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${SIDE}"><title>Cathedral Data Service</title><rect width="${SIDE}" height="${SIDE}" rx="${radius}" fill="${GROUND}"/><g fill="none" stroke="${LINES}"${place}><path d="M8 27V15c0-5 3.5-9 8-11 4.5 2 8 6 8 11v12" stroke-width="2.2"/><path d="M12.5 27v-9.5c0-2.2 1.4-4 3.5-5 2.1 1 3.5 2.8 3.5 5V27" stroke-width="1.8"/><path d="M6 27.5h20" stroke-width="2.2" stroke-linecap="round"/></g></svg>\n`;
}
