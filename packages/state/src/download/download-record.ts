/**
 * What a download has reached:
 * - version u8 | cleared u8 | state root of the tables 32 | progress of the downloader
 */
import { type Bytes32, concatBytes } from '@keelson/primitives'
import { StateError } from '../errors.ts'

const VERSION = 1
const HEAD_LENGTH = 2 + 32

export interface DownloadRecord {
  /** False while records of an earlier state may remain. */
  readonly cleared: boolean
  readonly root: Bytes32
  readonly progress: Uint8Array
}

export function encodeDownloadRecord({ cleared, root, progress }: DownloadRecord): Uint8Array {
  return concatBytes(Uint8Array.of(VERSION, cleared ? 1 : 0), root, progress)
}

export function decodeDownloadRecord(bytes: Uint8Array): DownloadRecord {
  if (bytes.length < HEAD_LENGTH || bytes[0] !== VERSION) {
    throw new StateError('state/corrupt-record', 'critical', `a download record of version ${bytes[0] ?? 'none'}, expected ${VERSION}`)
  }
  return { cleared: bytes[1] === 1, root: bytes.subarray(2, HEAD_LENGTH), progress: bytes.subarray(HEAD_LENGTH) }
}
