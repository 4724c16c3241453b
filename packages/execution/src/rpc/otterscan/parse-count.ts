import { parseQuantityNumber } from '@keelson/primitives'

/** Otterscan sends plain numbers where Ethereum's methods take hex. */
export function parseCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : parseQuantityNumber(value, 'number')
}
