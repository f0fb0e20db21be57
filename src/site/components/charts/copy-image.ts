import { saveFile } from '../save-file.ts';

/** Makes a PNG of the view that is shown. */
export interface ImageSource {
  /** A file of this view that the host has; null if it has none. */
  address(): Promise<string | null>;
  /** The view as an SVG document. */
  svg(): Promise<string>;
  /** `supply.png` */
  name: string;
}

/** Adds a button that copies the view as an image. Where the browser does not allow that, it saves the image instead. */
export function addImageButton(place: HTMLElement, source: ImageSource): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy-frozen';
  button.textContent = 'Copy as an image';
  const status = document.createElement('span');
  status.setAttribute('role', 'status');
  const say = (words: string) => {
    status.textContent = words;
  };
  button.addEventListener('click', () => {
    say('Making the image …');
    const image = pngOf(source);
    copy(image).then(
      () => say('Copied: the image is on the clipboard.'),
      () =>
        image.then(
          (blob) => {
            saveFile(source.name, blob);
            say(`This browser does not let pages copy images, so it was saved as ${source.name}.`);
          },
          () => say('The image cannot be made now. The links below are to the chart’s files.'),
        ),
    );
  });
  place.append(button, status);
}

/** Hands over the promise: Safari allows a page to write only within the click. */
async function copy(image: Promise<Blob>): Promise<void> {
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': image })]);
}

async function pngOf({ address, svg }: ImageSource): Promise<Blob> {
  const path = await address();
  const response = path === null ? null : await fetch(path).catch(() => null);
  if (response?.ok && response.headers.get('Content-Type') === 'image/png') return response.blob();
  return drawn(await svg());
}

/** The files have two pixels for each of the drawing's. */
const SCALE = 2;

async function drawn(svg: string): Promise<Blob> {
  const image = new Image();
  // An image loads nothing, so its fonts have to be in it.
  const style = `<style>${await fontFaces()}</style>`;
  const whole = svg.replace(/<svg[^>]*>/, (tag) => tag + style);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(whole)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.naturalWidth * SCALE, image.naturalHeight * SCALE];
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no image'))), 'image/png'),
  );
}

/** The upright fonts of the page with their files in them. */
async function fontFaces(): Promise<string> {
  const rules = [...document.styleSheets].flatMap(({ cssRules }) =>
    [...cssRules].filter((rule): rule is CSSFontFaceRule => rule instanceof CSSFontFaceRule),
  );
  const faces = rules.flatMap(({ style, parentStyleSheet }) => {
    const [, file] = /url\("?([^")]+)/.exec(style.getPropertyValue('src')) ?? [];
    const isUpright = !/italic|oblique/.test(style.getPropertyValue('font-style'));
    return file && isUpright ? [{ style, file: new URL(file, parentStyleSheet?.href ?? location.href) }] : [];
  });
  return (
    await Promise.all(
      faces.map(async ({ style, file }) => {
        const value = (name: string) => style.getPropertyValue(name);
        const url = await dataUrl(await (await fetch(file)).blob());
        const range = value('unicode-range');
        return `@font-face{font-family:${value('font-family')};font-weight:${value('font-weight')};src:url("${url}");${range && `unicode-range:${range}`}}`;
      }),
    )
  ).join('');
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.addEventListener('error', () => reject(new Error('unreadable')));
    reader.readAsDataURL(blob);
  });
}
