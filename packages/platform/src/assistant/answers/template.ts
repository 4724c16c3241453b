/** Answers as templates over the results of tools. */
import { Decimal } from '../../market/decimal.ts'
import { sentence } from './asking.ts'

/**
 * `{path}` is a field of the result, nested ones with a point; `|usd` rounds it to cents, `|text` makes it a sentence. A line
 * with a field that is missing, null or empty is left out. With `each` the line is repeated for the items of a list.
 */
export type Line = string | { readonly each: string; readonly line: string; readonly max?: number; readonly none?: string }

const MAX_ITEMS = 12
const MAX_TEXT = 1_600
/** Significant digits of an amount below a dollar. */
const SMALL_DIGITS = 4

export function render(lines: readonly Line[], value: unknown): readonly string[] {
  return lines.flatMap((line) => {
    if (typeof line === 'string') return filled(line, value)
    const items = (field(value, line.each) as readonly unknown[] | undefined) ?? []
    if (items.length === 0) return line.none === undefined ? [] : filled(line.none, value)
    return items.slice(0, line.max ?? MAX_ITEMS).flatMap((item) => filled(line.line, item))
  })
}

function filled(line: string, value: unknown): readonly string[] {
  let isWhole = true
  const text = line.replace(/\{([\w.]+)(?:\|(usd|text))?\}/g, (_, path: string, form?: string) => {
    const found = field(value, path)
    if (found === null || found === undefined || found === '') isWhole = false
    const plain = Array.isArray(found) ? found.join(', ') : String(found)
    return !isWhole || form === undefined ? plain : form === 'usd' ? dollars(plain) : sentence(plain, MAX_TEXT)
  })
  return isWhole ? [text] : []
}

function field(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((part, name) => (part as Readonly<Record<string, unknown>> | null | undefined)?.[name], value)
}

function dollars(usd: string): string {
  const value = new Decimal(usd)
  return (value.abs().lt(1) ? value.toSignificantDigits(SMALL_DIGITS) : value.toDecimalPlaces(2)).toFixed()
}
