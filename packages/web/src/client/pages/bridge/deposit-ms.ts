import type { Heads } from '../../../shared/network-document.ts'

/** L2 takes an L1 block as its origin some blocks later. Null while the time between L1 blocks is not known. */
export function depositMs({ unsafe, l1: { head, finalized } }: Heads): number | null {
  const blocks = head.number - finalized.number
  if (blocks <= 0) return null
  const blockMs = (1000 * (head.timeSec - finalized.timeSec)) / blocks
  return Math.max(1, head.number - unsafe.l1Origin.number) * blockMs
}
