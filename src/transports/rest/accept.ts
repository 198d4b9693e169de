type Range = { type: string; subtype: string; quality: number };

/** The ranges of an `Accept` header (RFC 9110 12.5.1); parameters other than the quality do not count. */
function rangesOf(accept: string): Range[] {
  return accept.split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const [type = '', subtype = ''] = range.split('/');
    if (type === '' || subtype === '') return [];
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const quality = weight === undefined ? 1 : Number(weight);
    return [{ type, subtype, quality: quality >= 0 && quality <= 1 ? quality : 0 }];
  });
}

/** How much a caller wants a media type, 0 to 1; the most exact range decides. */
function wish(ranges: readonly Range[], mediaType: string): number {
  const [type, subtype] = mediaType.split('/');
  const exact = ranges.find((range) => range.type === type && range.subtype === subtype);
  const group = ranges.find((range) => range.type === type && range.subtype === '*');
  const any = ranges.find((range) => range.type === '*' && range.subtype === '*');
  return (exact ?? group ?? any)?.quality ?? 0;
}

/** The one of `mediaTypes` that a caller likes best, the first where it likes several as much; null where none will do. */
export function preferred<T extends string>(
  accept: string | undefined,
  mediaTypes: readonly T[],
): T | null {
  const ranges = accept === undefined || accept.trim() === '' ? [] : rangesOf(accept);
  if (accept === undefined || accept.trim() === '') return mediaTypes[0] ?? null;
  const wishes = mediaTypes.map((mediaType) => ({ mediaType, by: wish(ranges, mediaType) }));
  const best = Math.max(...wishes.map(({ by }) => by));
  return best > 0 ? (wishes.find(({ by }) => by === best)?.mediaType ?? null) : null;
}
