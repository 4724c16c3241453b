import { snappyPermittedLength, snappyUncompress } from '@keelson/runtime/snappy'

/** Limit on a message, compressed or not. specs: protocol/rollup-node-p2p.md#message-compression-and-limits */
export const MAX_GOSSIP_BYTES = 10 * 1024 * 1024

export const snappyDecompress = (data: Uint8Array): Uint8Array | null => snappyUncompress(data, MAX_GOSSIP_BYTES)

export const permittedLength = (data: Uint8Array): number | null => snappyPermittedLength(data, MAX_GOSSIP_BYTES)
