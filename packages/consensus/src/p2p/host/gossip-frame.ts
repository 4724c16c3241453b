/**
 * Counts the parts of a gossipsub frame without decoding it. The decoder allocates an object per part of as little as two bytes,
 * so a frame of ten megabytes could block the thread for a second. libp2p specs: pubsub/README.md#the-rpc,
 * pubsub/gossipsub/gossipsub-v1.2.md
 */

/** Limits per frame; clients send a fraction of them. */
export const FRAME_LIMITS = {
  subscriptions: 256,
  messages: 1_024,
  controls: 512,
  /** Implementations advertise at most 5,000 per heartbeat. */
  messageIds: 8_192,
  /** Peers that PRUNE recommends, 16 for a topic. */
  peers: 256,
  /** Fields within the parts above, and unknown fields of later versions. */
  fields: 8_192,
} as const

type Kind = keyof typeof FRAME_LIMITS

interface Shape {
  readonly [field: number]: { readonly kind: Kind; readonly shape?: Shape }
}

const LEAF: Shape = {}
const IDS_AT = (field: number): Shape => ({ [field]: { kind: 'messageIds' } })
const CONTROL: Shape = {
  1: { kind: 'controls', shape: IDS_AT(2) },
  2: { kind: 'controls', shape: IDS_AT(1) },
  3: { kind: 'controls', shape: LEAF },
  4: { kind: 'controls', shape: { 2: { kind: 'peers', shape: LEAF } } },
  5: { kind: 'controls', shape: IDS_AT(1) },
}
const RPC: Shape = {
  1: { kind: 'subscriptions', shape: LEAF },
  2: { kind: 'messages', shape: LEAF },
  3: { kind: 'fields', shape: CONTROL },
}

const VARINT = 0
const FIXED64 = 1
const LENGTH_DELIMITED = 2
const FIXED32 = 5

/** Returns null for a malformed frame, or one beyond FRAME_LIMITS. */
export function countFrameParts(frame: Uint8Array): number | null {
  const counter = new PartCounter(frame)
  return counter.read(frame.length, RPC) ? counter.total : null
}

class PartCounter {
  total = 0
  private at = 0
  private readonly frame: Uint8Array
  private readonly counts: Record<Kind, number> = { subscriptions: 0, messages: 0, controls: 0, messageIds: 0, peers: 0, fields: 0 }

  constructor(frame: Uint8Array) {
    this.frame = frame
  }

  read(end: number, shape: Shape): boolean {
    while (this.at < end) {
      const tag = this.varint()
      if (tag === null) return false
      const field = shape[Math.floor(tag / 8)]
      const wireType = tag % 8
      const known = wireType === LENGTH_DELIMITED ? field : undefined
      if (!this.add(known?.kind ?? 'fields')) return false
      const length = this.contentLength(wireType)
      if (length === null || this.at + length > end) return false
      if (known?.shape === undefined) this.at += length
      else if (!this.read(this.at + length, known.shape)) return false
    }
    return this.at === end
  }

  /** Returns null for groups, which are deprecated and nest without limit. */
  private contentLength(wireType: number): number | null {
    if (wireType === VARINT) return this.varint() === null ? null : 0
    if (wireType === LENGTH_DELIMITED) return this.varint()
    if (wireType === FIXED64) return 8
    return wireType === FIXED32 ? 4 : null
  }

  private add(kind: Kind): boolean {
    this.total++
    this.counts[kind]++
    return this.counts[kind] <= FRAME_LIMITS[kind]
  }

  private varint(): number | null {
    let value = 0
    for (let i = 0; i < 10; i++) {
      const byte = this.frame[this.at++]
      if (byte === undefined) return null
      value += (byte & 0x7f) * 2 ** (7 * i)
      if (byte < 0x80) return value
    }
    return null
  }
}
