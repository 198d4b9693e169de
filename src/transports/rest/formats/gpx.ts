import type { LocatedPoint } from './located.ts';
import type { RowWriter } from './row-writer.ts';
import { type Stretch, stretchCutter } from './stretches.ts';

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Text as it may stand in XML 1.0, without the characters that it has no form for. */
function xmlText(text: string): string {
  const known = text.replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
  return known.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}

/** A path as GPX 1.1 (topografix.com/GPX/1/1): one track, with a segment for each stretch without a long silence. */
export function gpxWriter(name: string): RowWriter {
  const cutter = stretchCutter();
  let open = false;
  const segment = ({ points, goesOn }: Stretch) => {
    const close = open && !goesOn ? '</trkseg>\n' : '';
    const begin = open && goesOn ? '' : '<trkseg>\n';
    open = true;
    return close + begin + points.map(trackPoint).join('');
  };
  return {
    head: () =>
      [
        '<?xml version="1.0" encoding="UTF-8"?>\n',
        '<gpx version="1.1" creator="Odograph" xmlns="http://www.topografix.com/GPX/1/1">\n',
        `<trk><name>${xmlText(name)}</name>`,
      ].join(''),
    rows: (rows) => cutter.cut(rows).map(segment).join(''),
    tail: () => `${open ? '</trkseg>' : ''}</trk>\n</gpx>\n`,
  };
}

function trackPoint({ latitude, longitude, elevationM, at }: LocatedPoint): string {
  const elevation = elevationM === null ? '' : `<ele>${elevationM}</ele>`;
  return `<trkpt lat="${latitude}" lon="${longitude}">${elevation}<time>${xmlText(at)}</time></trkpt>\n`;
}
