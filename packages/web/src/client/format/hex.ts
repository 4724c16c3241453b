/** 0x1234..cdef; the whole value belongs into a title. */
export function shortHex(hex: string, ends = 4): string {
  return hex.length <= 2 * ends + 6 ? hex : `${hex.slice(0, ends + 4)}…${hex.slice(-ends)}`
}

export function quantity(hex: string): number {
  return Number(hex)
}

export function toQuantity(number: number): string {
  return `0x${number.toString(16)}`
}

export const isHash = (text: string) => /^0x[0-9a-fA-F]{64}$/.test(text)
export const isAddress = (text: string) => /^0x[0-9a-fA-F]{40}$/.test(text)
export const isZeroAddress = (text: string) => /^0x0{40}$/.test(text)
export const isHeight = (text: string) => /^\d{1,15}$/.test(text)
