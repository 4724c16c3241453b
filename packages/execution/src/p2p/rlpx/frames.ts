/** devp2p rlpx.md#framing */
import { createCipheriv, createDecipheriv, timingSafeEqual } from 'node:crypto'
import { P2pError } from '../p2p-error.ts'
import type { ByteReader } from './byte-reader.ts'
import { type FrameMac, MAC_BYTES } from './frame-mac.ts'
import type { FrameSecrets } from './handshake.ts'

const HEADER_BYTES = 16
const BLOCK_BYTES = 16
const ZERO_IV = new Uint8Array(16)
/** A list of two zeros: capability id and context id, which nobody uses. */
const HEADER_DATA = [0xc2, 0x80, 0x80]

export class FrameWriter {
  readonly #cipher: ReturnType<typeof createCipheriv>
  readonly #mac: FrameMac

  constructor({ aes, egress }: FrameSecrets) {
    this.#cipher = createCipheriv('aes-256-ctr', aes, ZERO_IV)
    this.#mac = egress
  }

  /** Frames must be sent in the order of the calls. */
  frame(code: number, payload: Uint8Array): Uint8Array {
    const size = 1 + payload.length
    const padded = paddedSize(size)
    const plain = new Uint8Array(HEADER_BYTES + padded)
    plain.set([size >>> 16, (size >>> 8) & 0xff, size & 0xff, ...HEADER_DATA])
    plain[HEADER_BYTES] = code === 0 ? 0x80 : code
    plain.set(payload, HEADER_BYTES + 1)
    const encrypted = this.#cipher.update(plain)
    const header = encrypted.subarray(0, HEADER_BYTES)
    const body = encrypted.subarray(HEADER_BYTES)
    const out = new Uint8Array(HEADER_BYTES + MAC_BYTES + padded + MAC_BYTES)
    out.set(header)
    out.set(this.#mac.header(header), HEADER_BYTES)
    out.set(body, HEADER_BYTES + MAC_BYTES)
    out.set(this.#mac.body(body), out.length - MAC_BYTES)
    return out
  }
}

export interface Frame {
  readonly code: number
  readonly payload: Uint8Array
}

export class FrameReader {
  readonly #cipher: ReturnType<typeof createDecipheriv>
  readonly #mac: FrameMac
  readonly #reader: ByteReader

  constructor(reader: ByteReader, { aes, ingress }: FrameSecrets) {
    this.#reader = reader
    this.#cipher = createDecipheriv('aes-256-ctr', aes, ZERO_IV)
    this.#mac = ingress
  }

  /** Throws P2pError `p2p/frame` or `p2p/closed`. */
  async next(maxBytes: number): Promise<Frame> {
    const head = await this.#reader.read(HEADER_BYTES + MAC_BYTES)
    const encryptedHeader = head.subarray(0, HEADER_BYTES)
    if (!timingSafeEqual(this.#mac.header(encryptedHeader), head.subarray(HEADER_BYTES)))
      throw new P2pError('p2p/frame', 'frame header with a wrong MAC')
    const size = this.#cipher.update(encryptedHeader).readUIntBE(0, 3)
    if (size === 0 || size > maxBytes) throw new P2pError('p2p/frame', `frame of ${size} bytes; expected 1 to ${maxBytes}`)
    const body = await this.#reader.read(paddedSize(size) + MAC_BYTES)
    const encryptedBody = body.subarray(0, -MAC_BYTES)
    if (!timingSafeEqual(this.#mac.body(encryptedBody), body.subarray(-MAC_BYTES)))
      throw new P2pError('p2p/frame', 'frame body with a wrong MAC')
    const plain = this.#cipher.update(encryptedBody)
    return { code: decodeCode(plain[0] as number), payload: new Uint8Array(plain.buffer, plain.byteOffset + 1, size - 1) }
  }
}

function paddedSize(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
}

/** An RLP integer; all codes in use fit one byte. */
function decodeCode(first: number): number {
  if (first === 0x80) return 0
  if (first === 0 || first > 0x80) throw new P2pError('p2p/frame', `message code 0x${first.toString(16)} is no RLP integer of one byte`)
  return first
}
