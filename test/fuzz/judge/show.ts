import { createHash } from 'node:crypto'
import { bytesToHex } from '@keelson/primitives'

const MAX_SHOWN_BYTES = 64

export function showBytes(bytes: Uint8Array): string {
  if (bytes.length <= MAX_SHOWN_BYTES) return bytesToHex(bytes)
  return `${bytes.length}:${createHash('sha256').update(bytes).digest('hex')}`
}

export const withoutPrefix = (hex: string): string => hex.slice(2)
