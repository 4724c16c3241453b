import { describeWrongChecksum, hasWrongChecksum } from '@keelson/primitives'
import { isAddress, isZeroAddress } from './hex.ts'

/** Why an address that somebody typed cannot be paid; null if it can. */
export function recipientTrouble(text: string): string | null {
  if (!isAddress(text)) return 'An address has 0x and 40 hex digits.'
  if (hasWrongChecksum(text)) return `${describeWrongChecksum(text).replace(/^t/, 'T')}.`
  return isZeroAddress(text) ? 'The zero address belongs to nobody: what is sent there is lost.' : null
}
