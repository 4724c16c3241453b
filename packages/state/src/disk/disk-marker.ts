/**
 * The block whose state the tables hold:
 * - version u8 | block hash 32 | number u48 | state root 32
 */
import { bytesToHex, concatBytes, type Hash, hexToBytes } from '@keelson/primitives'
import { blockNumberBytes } from '../buckets.ts'
import { StateError } from '../errors.ts'
import type { StateBlock } from '../state-store.ts'

const VERSION = 1
const LENGTH = 1 + 32 + 6 + 32

export function encodeDiskMarker(block: StateBlock): Uint8Array {
  return concatBytes(Uint8Array.of(VERSION), hexToBytes(block.hash), blockNumberBytes(block.number), hexToBytes(block.stateRoot))
}

export function decodeDiskMarker(bytes: Uint8Array): StateBlock {
  if (bytes.length !== LENGTH || bytes[0] !== VERSION) {
    throw new StateError(
      'state/corrupt-record',
      'critical',
      `disk marker of ${bytes.length} bytes and version ${bytes[0] ?? 'none'}, expected ${LENGTH} bytes of version ${VERSION}; the data directory was written by another release`,
    )
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return {
    hash: bytesToHex(bytes.subarray(1, 33)) as Hash,
    number: view.getUint16(33) * 2 ** 32 + view.getUint32(35),
    stateRoot: bytesToHex(bytes.subarray(39)) as Hash,
  }
}
