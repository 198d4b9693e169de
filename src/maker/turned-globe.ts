/** A place on the globe, in degrees. */
type Place = { latitude: number; longitude: number };

/** A turn of the whole globe: places go elsewhere, and the distances between them stay as they are. */
export type Turn = {
  position: (place: Place) => Place;
  /** The heading [degrees] that a vehicle at a place has after the turn. */
  heading: (place: Place, headingDeg: number) => number;
};

type Vector = readonly [number, number, number];

const DEGREE = Math.PI / 180;
/** How far ahead a heading is looked along [radians]: some 60 m. */
const AHEAD = 1e-5;

/** The turn that random bytes stand for; it needs twelve of them. */
export function turnFrom(bytes: Buffer): Turn {
  const part = (at: number) => bytes.readUInt32BE(at) / 2 ** 32;
  const axis = vectorOf({
    latitude: Math.asin(part(0) * 2 - 1) / DEGREE,
    longitude: part(4) * 360,
  });
  // Never so little that a place stays about where it was, unless it lies on the axis.
  const angle = Math.PI / 3 + (part(8) * 4 * Math.PI) / 3;
  const position = (place: Place) => placeOf(rotated(vectorOf(place), axis, angle));
  return {
    position,
    heading: (place, headingDeg) => {
      const from = position(place);
      const to = position(along(place, headingDeg));
      return bearing(from, to);
    },
  };
}

function vectorOf({ latitude, longitude }: Place): Vector {
  const [lat, lon] = [latitude * DEGREE, longitude * DEGREE];
  return [Math.cos(lat) * Math.cos(lon), Math.cos(lat) * Math.sin(lon), Math.sin(lat)];
}

function placeOf([x, y, z]: Vector): Place {
  return {
    latitude: Math.atan2(z, Math.hypot(x, y)) / DEGREE,
    longitude: Math.atan2(y, x) / DEGREE,
  };
}

/** Rodrigues' rotation formula. */
function rotated(v: Vector, k: Vector, angle: number): Vector {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const dot = (v[0] * k[0] + v[1] * k[1] + v[2] * k[2]) * (1 - cos);
  return [
    v[0] * cos + (k[1] * v[2] - k[2] * v[1]) * sin + k[0] * dot,
    v[1] * cos + (k[2] * v[0] - k[0] * v[2]) * sin + k[1] * dot,
    v[2] * cos + (k[0] * v[1] - k[1] * v[0]) * sin + k[2] * dot,
  ];
}

function along({ latitude, longitude }: Place, headingDeg: number): Place {
  const heading = headingDeg * DEGREE;
  return {
    latitude: latitude + (AHEAD * Math.cos(heading)) / DEGREE,
    longitude: longitude + (AHEAD * Math.sin(heading)) / Math.cos(latitude * DEGREE) / DEGREE,
  };
}

function bearing(from: Place, to: Place): number {
  const east = (to.longitude - from.longitude) * Math.cos(from.latitude * DEGREE);
  const degrees = Math.atan2(east, to.latitude - from.latitude) / DEGREE;
  return (degrees + 360) % 360;
}
