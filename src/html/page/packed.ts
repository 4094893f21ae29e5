// What html/packed.c packs: base64 of deflated bytes, which are numbers or texts.

const digits = new Uint8Array(128);
"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".split("").forEach(
  (digit, value) => { digits[digit.charCodeAt(0)] = value; });

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array(text.length / 4 * 3 - padding);
  for (let from = 0, to = 0; from < text.length; from += 4, to += 3) {
    const group = digits[text.charCodeAt(from)] << 18 | digits[text.charCodeAt(from + 1)] << 12 |
      digits[text.charCodeAt(from + 2) & 127] << 6 | digits[text.charCodeAt(from + 3) & 127];
    bytes[to] = group >> 16;
    bytes[to + 1] = group >> 8;
    bytes[to + 2] = group;
  }
  return bytes;
}

/** The bytes themselves. */
export async function unpack(text: string): Promise<Uint8Array> {
  const stream = new Blob([fromBase64(text)]).stream()
    .pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads numbers one after another. */
export class Numbers {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** Up to 2^53 exactly. */
  next(): number {
    let byte = this.bytes[this.at++];
    let number = byte & 127;
    for (let weight = 128; byte > 127; weight *= 128) {
      byte = this.bytes[this.at++];
      number += (byte & 127) * weight;
    }
    return number;
  }

  signed(): number {
    const number = this.next();
    return number % 2 ? -(number + 1) / 2 : number / 2;
  }

  /** A number of 64 bits. */
  exact(): bigint {
    let number = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[this.at++];
      number |= BigInt(byte & 127) << shift;
      if (byte < 128)
        return number & 1n ? -(number + 1n) / 2n : number / 2n;
    }
  }
}

/** Texts, each decoded when it is asked for. */
export class Texts {
  private static readonly decoder = new TextDecoder();
  private readonly ends: Uint32Array;
  readonly count: number;

  constructor(private readonly bytes: Uint8Array, expected?: number) {
    const ends = new Uint32Array(expected ?? bytes.length);
    let count = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, end + 1))
      ends[count++] = end;
    this.ends = ends;
    this.count = count;
  }

  at(index: number): string {
    const begin = index ? this.ends[index - 1] + 1 : 0;
    return Texts.decoder.decode(this.bytes.subarray(begin, this.ends[index]));
  }
}
