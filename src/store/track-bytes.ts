/** Largest whole number that every step up to it is exact. */
const LARGEST = Number.MAX_SAFE_INTEGER;

/** Stored samples, or what was computed of them, that cannot be read: damaged, cut off, or of a later version. */
export class TrackDataError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TrackDataError';
  }
}

/** Bytes under construction. Varints go by division, because times exceed 32 bits. */
export class ByteWriter {
  #buffer = Buffer.alloc(256);
  #length = 0;

  byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#length] = value;
    this.#length += 1;
  }

  unsigned(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest % 0x80) + 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.byte(rest);
  }

  /** Zigzag: small magnitudes of either sign become small numbers. */
  signed(value: number): void {
    this.unsigned(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  bits(flags: readonly boolean[]): void {
    for (let i = 0; i < flags.length; i += 8) {
      let byte = 0;
      for (let bit = 0; bit < 8; bit += 1) if (flags[i + bit] === true) byte |= 1 << bit;
      this.byte(byte);
    }
  }

  /** The bytes with their length before them. */
  block(bytes: Uint8Array): void {
    this.unsigned(bytes.length);
    this.#room(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #room(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    this.#buffer = Buffer.concat([
      this.#buffer,
      Buffer.alloc(Math.max(needed, this.#buffer.length)),
    ]);
  }
}

/** Reads what a ByteWriter wrote; throws TrackDataError where the bytes end too early or make no number. */
export class ByteReader {
  #data: Uint8Array;
  #at = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  byte(): number {
    const value = this.#data[this.#at];
    if (value === undefined) throw new TrackDataError('Track data ends too early.');
    this.#at += 1;
    return value;
  }

  unsigned(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte % 0x80) * scale;
      if (value > LARGEST) throw new TrackDataError('Track data holds a number that is too large.');
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }

  signed(): number {
    const value = this.unsigned();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  bits(count: number): boolean[] {
    const flags: boolean[] = [];
    for (let i = 0; i < count; i += 8) {
      const byte = this.byte();
      for (let bit = 0; bit < 8 && i + bit < count; bit += 1) flags.push((byte & (1 << bit)) !== 0);
    }
    return flags;
  }

  block(): Uint8Array {
    const length = this.unsigned();
    if (length > this.#data.length - this.#at)
      throw new TrackDataError('Track data ends too early.');
    this.#at += length;
    return this.#data.subarray(this.#at - length, this.#at);
  }

  rest(): Uint8Array {
    return this.#data.subarray(this.#at);
  }
}
