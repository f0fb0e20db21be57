import { hash } from 'node:crypto';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Base64url of twelve bits. */
const PAIRS = Array.from({ length: 4096 }, (_, bits) => DIGITS[bits >> 6]! + DIGITS[bits & 63]!);
const UINT32 = 2 ** 32;

/**
 * sfc32, Chris Doty-Humphrey's small fast counting generator, seeded with the SHA-256 of a name. The same name always
 * gives the same stream. Give each purpose its own name, so that drawing more for one does not change another.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  constructor(...name: (string | number)[]) {
    const seed = hash('sha256', JSON.stringify(name), 'buffer');
    this.#a = seed.readInt32LE(0);
    this.#b = seed.readInt32LE(4);
    this.#c = seed.readInt32LE(8);
    this.#counter = seed.readInt32LE(12);
  }

  /** Uniform in [0, 2³²). */
  bits(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** Uniform in [0, 1). */
  share(): number {
    return this.bits() / UINT32;
  }

  /** Uniform in [least, most). */
  between(least: number, most: number): number {
    return least + this.share() * (most - least);
  }

  /** An integer in [least, most], both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.share() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.share() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.share() * list.length)]!;
  }

  /**
   * Roughly normal: mean 0, standard deviation 1, within ±3.5. It sums uniform draws because logarithms differ between
   * platforms.
   */
  bell(): number {
    return (this.share() + this.share() + this.share() + this.share() - 2) * 1.7320508;
  }

  shuffled<T>(list: readonly T[]): T[] {
    const copy = [...list];
    for (let last = copy.length - 1; last > 0; last -= 1) {
      const other = this.whole(0, last);
      [copy[last], copy[other]] = [copy[other]!, copy[last]!];
    }
    return copy;
  }

  /** 16 bytes in base64url: 22 digits, the last of which carries two bits. */
  salt(): string {
    let text = '';
    for (let word = 0; word < 5; word += 1) {
      const bits = this.bits();
      text += PAIRS[bits & 4095]! + PAIRS[(bits >>> 12) & 4095]!;
    }
    const bits = this.bits();
    return text + DIGITS[bits & 63] + 'AQgw'[(bits >>> 6) & 3];
  }
}
