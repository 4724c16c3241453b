import { concatBytes, type Hash, hexToBytes } from '@keelson/primitives'
import type { ForkPoints } from '../../chain-rules.ts'

/** EIP-2124: CRC-32 of the genesis hash and all forks up to `timeSec`. Forks by block number count as passed. */
export function forkId(genesis: Hash, forks: ForkPoints, timeSec: number): number {
  const passed = [...forks.blocks, ...forks.times.filter((time) => time <= timeSec)]
  return crc32(concatBytes(hexToBytes(genesis), ...passed.map(u64)))
}

function u64(value: number): Uint8Array {
  const out = new Uint8Array(8)
  new DataView(out.buffer).setBigUint64(0, BigInt(value))
  return out
}

const POLYNOMIAL = 0xedb88320

function crc32(data: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of data) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
