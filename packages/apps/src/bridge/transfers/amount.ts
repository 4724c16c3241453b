export function parseAmount(text: string, decimals: number): bigint | null {
  const [, whole, part = ''] = /^(\d{1,60})(?:\.(\d{1,60}))?$/.exec(text) ?? []
  if (whole === undefined || part.length > decimals) return null
  return BigInt(whole) * 10n ** BigInt(decimals) + BigInt(part.padEnd(decimals, '0') || '0')
}

export function formatAmount(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return part === '' ? whole : `${whole}.${part}`
}
