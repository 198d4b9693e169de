import { locatedPoints } from './located.ts';

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

/** A path as GPX 1.1 (topografix.com/GPX/1/1): one track of one segment. */
export function gpxOf(name: string, points: readonly unknown[]): string {
  const lines = locatedPoints(points).map(({ latitude, longitude, elevationM, at }) => {
    const elevation = elevationM === null ? '' : `<ele>${elevationM}</ele>`;
    return `<trkpt lat="${latitude}" lon="${longitude}">${elevation}<time>${xmlText(at)}</time></trkpt>\n`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    '<gpx version="1.1" creator="Odograph" xmlns="http://www.topografix.com/GPX/1/1">\n',
    `<trk><name>${xmlText(name)}</name><trkseg>\n`,
    ...lines,
    '</trkseg></trk>\n</gpx>\n',
  ].join('');
}
