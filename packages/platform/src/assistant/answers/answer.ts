import { Decimal } from '../../market/decimal.ts'
import type { ChainNames } from '../../tools/token-names.ts'
import type { ToolCallResult } from '../../tools/toolbox.ts'
import type { Question } from '../reading/question.ts'

export type ToolFailure = Extract<ToolCallResult, { readonly ok: false }>
export type Called<T> = { readonly ok: true; readonly value: T } | ToolFailure

export interface Asking {
  readonly question: Question
  readonly chains: readonly ChainNames[]
  readonly nowMs: number
  call<T>(name: string, args: Readonly<Record<string, unknown>>): Promise<Called<T>>
}

export type Answer = AsyncGenerator<string, void, void>

/**
 * `{path}` inserts a field of the result, `|usd` rounds it to cents, `|text` makes it a sentence. A line with a missing or empty
 * field is left out.
 */
export type Line = string | { readonly each: string; readonly line: string; readonly max?: number; readonly none?: string }

const MAX_DETAIL = 400
const MAX_ITEMS = 12
const MAX_TEXT = 1_600
const SMALL_DIGITS = 4

export function failureLine({ reason, detail }: ToolFailure): string {
  if (reason === 'unavailable') return `I cannot say now, because a source is away: ${ended(detail)} Ask again in a while.`
  return reason === 'not-configured' ? `That is not set up here: ${ended(detail)}` : sentence(detail)
}

export function sentence(text: string, maxLength = MAX_DETAIL): string {
  return ended(text.charAt(0).toUpperCase() + text.slice(1), maxLength)
}

function ended(text: string, maxLength = MAX_DETAIL): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return /[.!?…]$/.test(short) ? short : `${short}.`
}

export function shortName(token: string): string {
  return token.length > 42 ? `${token.slice(0, 42)}…` : token
}

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
