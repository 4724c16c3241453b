/** Yellow paper, section 4.3.1 */
import { hexToBytes } from '../hex.ts'
import { keccak256 } from '../keccak.ts'
import type { Log } from './receipt.ts'

export const BLOOM_BYTES = 256

function setBits(bloom: Uint8Array, value: Uint8Array): void {
  const hash = keccak256(value)
  for (let i = 0; i < 6; i += 2) {
    const bit = (((hash[i] as number) << 8) | (hash[i + 1] as number)) & 2047
    const at = BLOOM_BYTES - 1 - (bit >> 3)
    bloom[at] = (bloom[at] as number) | (1 << (bit & 7))
  }
}

/** Shared by all receipts without logs. */
const NO_LOGS = new Uint8Array(BLOOM_BYTES)

/** Do not modify the result. */
export function logsBloom(logs: readonly Log[]): Uint8Array {
  if (logs.length === 0) return NO_LOGS
  const bloom = new Uint8Array(BLOOM_BYTES)
  for (const log of logs) {
    setBits(bloom, hexToBytes(log.address))
    for (const topic of log.topics) setBits(bloom, hexToBytes(topic))
  }
  return bloom
}

export function mergeBloom(bloom: Uint8Array, other: Uint8Array): void {
  if (other === NO_LOGS) return
  for (let i = 0; i < BLOOM_BYTES; i++) bloom[i] = (bloom[i] as number) | (other[i] as number)
}

/** False means certainly absent. */
export function bloomMayContain(bloom: Uint8Array, value: Uint8Array): boolean {
  const wanted = new Uint8Array(BLOOM_BYTES)
  setBits(wanted, value)
  for (let i = 0; i < BLOOM_BYTES; i++) {
    if (((wanted[i] as number) & (bloom[i] as number)) !== (wanted[i] as number)) return false
  }
  return true
}
