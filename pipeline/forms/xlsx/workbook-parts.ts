import { escapeXml } from './sheet-xml.ts';
import { STYLES_XML } from './styles.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Where a sheet is in the archive, counted from 1. */
export function sheetPath(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

/** All parts of a workbook but its sheets (ECMA-376 part 1, 12.2), in the order in which they are stored. */
export function workbookParts(sheets: readonly string[]): [name: string, xml: string][] {
  const numbers = sheets.map((_, index) => index + 1);
  return [
    [
      '[Content_Types].xml',
      `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
        override('xl/workbook.xml', `${SHEET}.sheet.main+xml`) +
        numbers.map((number) => override(sheetPath(number), `${SHEET}.worksheet+xml`)).join('') +
        `${override('xl/styles.xml', `${SHEET}.styles+xml`)}</Types>`,
    ],
    ['_rels/.rels', relationships([['officeDocument', 'xl/workbook.xml']])],
    [
      'xl/workbook.xml',
      `${HEAD}<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"><sheets>` +
        sheets
          .map(
            (name, index) =>
              `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
          )
          .join('') +
        '</sheets></workbook>',
    ],
    [
      'xl/_rels/workbook.xml.rels',
      relationships([
        ...numbers.map((number): [string, string] => ['worksheet', `worksheets/sheet${number}.xml`]),
        ['styles', 'styles.xml'],
      ]),
    ],
    ['xl/styles.xml', STYLES_XML],
  ];
}

function override(path: string, type: string): string {
  return `<Override PartName="/${path}" ContentType="${type}"/>`;
}

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const list = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${list.join('')}</Relationships>`;
}
