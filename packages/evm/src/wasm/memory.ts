/** Views of an instance's memory; growth replaces them. */
import { addressKeyAt, wordKeyAt } from '../journal/byte-key.ts'

export interface LinearMemory {
  readonly buffer: ArrayBuffer
}

const LIMB = 64n
const LIMB_MASK = (1n << LIMB) - 1n
const ADDRESS_BYTES = 20
const WORD_BYTES = 32
const LIMB_BYTES = 8

export class CoreMemory {
  readonly #memory: LinearMemory
  #bytes: Uint8Array
  #view: DataView

  constructor(memory: LinearMemory) {
    this.#memory = memory
    this.#bytes = new Uint8Array(memory.buffer)
    this.#view = new DataView(memory.buffer)
  }

  get bytes(): Uint8Array {
    // Growth detaches the old buffer, which leaves it empty.
    if (this.#bytes.byteLength === 0) this.#refresh()
    return this.#bytes
  }

  get view(): DataView {
    if (this.#bytes.byteLength === 0) this.#refresh()
    return this.#view
  }

  #refresh(): void {
    this.#bytes = new Uint8Array(this.#memory.buffer)
    this.#view = new DataView(this.#memory.buffer)
  }

  u32(at: number): number {
    return this.view.getUint32(at, true)
  }

  setU32(at: number, value: number): void {
    this.view.setUint32(at, value, true)
  }

  u64(at: number): bigint {
    return this.view.getBigUint64(at, true)
  }

  setU64(at: number, value: bigint): void {
    this.view.setBigUint64(at, value, true)
  }

  i64(at: number): bigint {
    return this.view.getBigInt64(at, true)
  }

  number(at: number): bigint {
    const { view } = this
    const low = view.getBigUint64(at, true)
    const middle = view.getBigUint64(at + 8, true)
    const upper = view.getBigUint64(at + 16, true)
    const top = view.getBigUint64(at + 24, true)
    if (upper === 0n && top === 0n) return middle === 0n ? low : low | (middle << LIMB)
    return low | (middle << LIMB) | (upper << (2n * LIMB)) | (top << (3n * LIMB))
  }

  setNumber(at: number, value: bigint): void {
    const { view } = this
    view.setBigUint64(at, value, true)
    if (value <= LIMB_MASK) {
      this.bytes.fill(0, at + LIMB_BYTES, at + WORD_BYTES)
      return
    }
    for (let i = 1, rest = value >> LIMB; i < 4; i++, rest >>= LIMB) view.setBigUint64(at + LIMB_BYTES * i, rest, true)
  }

  /** Returns big-endian bytes. */
  word(at: number): Uint8Array {
    return this.#reversed(at, WORD_BYTES)
  }

  setWord(at: number, word: Uint8Array): void {
    const { bytes } = this
    for (let i = 0; i < WORD_BYTES; i++) bytes[at + WORD_BYTES - 1 - i] = word[i] as number
  }

  equalsWord(at: number, word: Uint8Array): boolean {
    const { bytes } = this
    for (let i = 0; i < WORD_BYTES; i++) if (bytes[at + WORD_BYTES - 1 - i] !== word[i]) return false
    return true
  }

  wordKey(at: number): string {
    return wordKeyAt(this.view, at)
  }

  addressKey(at: number): string {
    return addressKeyAt(this.view, at)
  }

  address(at: number): Uint8Array {
    return this.#reversed(at, ADDRESS_BYTES)
  }

  setAddress(at: number, address: Uint8Array): void {
    const { bytes } = this
    for (let i = 0; i < ADDRESS_BYTES; i++) bytes[at + ADDRESS_BYTES - 1 - i] = address[i] as number
    bytes.fill(0, at + ADDRESS_BYTES, at + WORD_BYTES)
  }

  copy(at: number, length: number): Uint8Array {
    return this.bytes.slice(at, at + length)
  }

  #reversed(at: number, length: number): Uint8Array {
    const { bytes } = this
    const out = new Uint8Array(length)
    for (let i = 0; i < length; i++) out[i] = bytes[at + length - 1 - i] as number
    return out
  }
}
