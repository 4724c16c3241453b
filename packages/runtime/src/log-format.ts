import { inspect } from 'node:util'
import { bytesToHex, NodeError } from '@keelson/primitives'
import { Secret } from './secret.ts'
import { visible } from './visible-text.ts'

export interface LogRecord {
  readonly timeMs: number
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly name: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

const MAX_TEXT = 2000
const MAX_BYTES = 64
const MAX_DEPTH = 4
const MAX_ITEMS = 50
const COLOURS = { debug: '\x1b[2m', info: '\x1b[32m', warn: '\x1b[33m', error: '\x1b[31m' } as const
const RESET = '\x1b[0m'
const MESSAGE_COLUMN = 44

export function formatJson(record: LogRecord): string {
  const { timeMs, level, name, message } = record
  const fields = plain(record.fields, 0) as Record<string, unknown>
  return visible(JSON.stringify({ ...fields, time: new Date(timeMs).toISOString(), level, name, message: cut(message) }))
}

export function formatHuman(record: LogRecord, coloured: boolean): string {
  const level = record.level.toUpperCase().padEnd(5)
  const time = new Date(record.timeMs).toISOString().slice(11, 23)
  const fields = Object.entries(record.fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [visible(key), visible(fieldText(value))])
    .map(([key, text]) => `${coloured ? `\x1b[2m${key}=${RESET}` : `${key}=`}${text}`)
  const message = visible(oneLine(cut(record.message)))
  const head = `${coloured ? `${COLOURS[record.level]}${level}${RESET}` : level} ${time} ${record.name === '' ? '' : `${visible(record.name)}: `}`
  return head + (fields.length === 0 ? message : `${message.padEnd(MESSAGE_COLUMN)} ${fields.join(' ')}`)
}

function fieldText(value: unknown): string {
  const simple = plain(value, 0)
  if (typeof simple === 'string') return /[\s"=\\]/.test(simple) || simple === '' ? JSON.stringify(simple) : simple
  if (typeof simple === 'object' && simple !== null) return oneLine(JSON.stringify(simple))
  return String(simple)
}

/** Converts to bounded, JSON-safe values. */
function plain(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return cut(value)
    case 'bigint':
      return value.toString()
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'boolean':
    case 'undefined':
      return value
    case 'object':
      return value === null ? null : plainObject(value, depth)
    default:
      return cut(inspect(value))
  }
}

function plainObject(value: object, depth: number): unknown {
  if (value instanceof Secret) return '***'
  if (value instanceof Uint8Array) {
    return value.length <= MAX_BYTES ? bytesToHex(value) : `${bytesToHex(value.subarray(0, MAX_BYTES))}... (${value.length} bytes)`
  }
  if (depth >= MAX_DEPTH) return '...'
  if (value instanceof Error) return plainError(value, depth)
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => plain(item, depth + 1))
  if (value instanceof Map || value instanceof Set) return cut(inspect(value, { depth: 1, maxArrayLength: MAX_ITEMS }))
  const entries = Object.entries(value).slice(0, MAX_ITEMS)
  return Object.fromEntries(entries.map(([key, item]) => [key, plain(item, depth + 1)]))
}

function plainError(error: Error, depth: number): unknown {
  const cause = error.cause === undefined ? {} : { cause: plain(error.cause, depth + 1) }
  if (error instanceof NodeError) {
    return { code: error.code, message: cut(error.message), ...(plain(error.details, depth + 1) as object), ...cause }
  }
  // An error without a code is a bug.
  return { message: cut(error.message), stack: cut(error.stack ?? ''), ...cause }
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}... (${text.length} characters)`
}

function oneLine(text: string): string {
  return text.replaceAll('\n', ' ')
}
