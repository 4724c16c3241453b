const WEI_DECIMALS = 18
const GWEI = 10n ** 9n

/** Decimal text with grouped digits, cut after `places` digits of the fraction. */
export function formatUnits(amount: bigint, decimals: number, places = 6): string {
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits
    .slice(digits.length - decimals)
    .slice(0, places)
    .replace(/0+$/, '')
  const isTiny = fraction === '' && whole === '0' && amount !== 0n
  if (isTiny) return `${sign}<0.${'0'.repeat(Math.max(0, places - 1))}1`
  return `${sign}${groupDigits(whole)}${fraction === '' ? '' : `.${fraction}`}`
}

/** What a title says beside a shown amount. */
export function rawAmount(amount: bigint | string, unit = 'of the smallest unit'): string {
  return `${groupDigits(amount.toString())} ${unit}`
}

/** Amounts that would show no digit are in gwei or wei. */
export function formatNative(wei: bigint, symbol: string, places = 6): string {
  if (wei > 0n && wei < 10n ** BigInt(WEI_DECIMALS - places)) return formatGasPrice(wei)
  return `${formatUnits(wei, WEI_DECIMALS, places)} ${symbol}`
}

/** Fees per gas in the unit that reads best. */
export function formatGasPrice(wei: bigint): string {
  if (wei < 100_000n) return `${groupDigits(wei.toString())} wei`
  const gwei = Number(wei) / Number(GWEI)
  return `${gwei >= 1000 ? groupDigits(Math.round(gwei).toString()) : Number(gwei.toPrecision(4))} gwei`
}

export function groupDigits(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',')
}

/** `1 transaction`, `1,234 transactions`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

export function formatCount(count: number): string {
  return groupDigits(Math.round(count).toString())
}

/** 1,234 or 12.3 k or 4.56 M. */
export function formatLarge(value: number): string {
  if (value >= 1e9) return `${trim(value / 1e9)} G`
  if (value >= 1e6) return `${trim(value / 1e6)} M`
  if (value >= 1e4) return `${trim(value / 1e3)} k`
  return value >= 100 || Number.isInteger(value) ? formatCount(value) : trim(value)
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
  return bytes < 1e6 ? `${trim(bytes / 1e3)} kB` : `${trim(bytes / 1e6)} MB`
}

export function formatPercent(share: number): string {
  const percent = 100 * share
  return `${percent > 0 && percent < 0.1 ? '<0.1' : Number(percent.toFixed(1))}%`
}

function trim(value: number): string {
  return String(Number(value.toPrecision(3)))
}
