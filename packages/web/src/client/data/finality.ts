import type { Heads } from '../../shared/network-document.ts'
import type { Finality } from '../parts/status-badge.tsx'

export function finalityOf(number: number, heads: Heads | null): Finality {
  if (heads === null || number > heads.safe.number) return 'unsafe'
  return number > heads.finalized.number ? 'safe' : 'finalized'
}
