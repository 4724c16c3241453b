/**
 * The ids of a request as their sender wrote them. A parsed number is not enough: `12345678901234567890`, `1.0` and `1e3` would come
 * back as other texts, and clients match answers by the id that they sent (JSON-RPC 2.0 section 5: "It MUST be the same").
 */
import { endOfJsonString } from './json-shape.ts'

/** Undefined for a call without an id, or with one that is a list or an object, which no answer repeats. */
export type Id = string | undefined

/** A parsed body, and the text of each call's id; a request that is no batch has one. */
export interface ParsedRequest {
  readonly value: unknown
  readonly ids: readonly Id[]
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const LAST_SPACE = 0x20

/** Throws a SyntaxError for text that is not JSON. */
export function parseRequest(text: string): ParsedRequest {
  const value: unknown = JSON.parse(text)
  return { value, ids: idTexts(text) }
}

/** `text` is valid JSON. The last of several ids of a call counts, as it does for JSON.parse. */
function idTexts(text: string): readonly Id[] {
  const first = skipSpace(text, 0)
  const isBatch = text.charCodeAt(first) === OPEN_LIST
  const callDepth = isBatch ? 2 : 1
  const ids: Id[] = [undefined]
  let depth = 0
  for (let i = first; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const end = endOfJsonString(text, i)
        const colon = depth === callDepth ? skipSpace(text, end + 1) : -1
        if (colon !== -1 && text.charCodeAt(colon) === COLON && isIdKey(text, i, end)) {
          const value = skipSpace(text, colon + 1)
          const id = scalarAt(text, value)
          ids[ids.length - 1] = id
          i = id === undefined ? value - 1 : value + id.length - 1
        } else i = end
        break
      }
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth++
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
      case COMMA:
        if (isBatch && depth === 1) ids.push(undefined)
        break
    }
  }
  return ids
}

/** A key may be written with escapes. */
function isIdKey(text: string, opening: number, closing: number): boolean {
  if (closing === opening + 3) return text.startsWith('id', opening + 1)
  const mayBeEscaped = closing - opening <= '"\\u0069\\u0064'.length
  return mayBeEscaped && text.slice(opening, closing).includes('\\') && JSON.parse(text.slice(opening, closing + 1)) === 'id'
}

/** A string, a number, true, false or null. */
function scalarAt(text: string, start: number): string | undefined {
  const code = text.charCodeAt(start)
  if (code === OPEN_LIST || code === OPEN_OBJECT) return undefined
  if (code === QUOTE) return text.slice(start, endOfJsonString(text, start) + 1)
  let end = start
  while (end < text.length && !endsScalar(text.charCodeAt(end))) end++
  return text.slice(start, end)
}

function endsScalar(code: number): boolean {
  return code <= LAST_SPACE || code === COMMA || code === CLOSE_OBJECT || code === CLOSE_LIST
}

function skipSpace(text: string, from: number): number {
  let i = from
  while (i < text.length && text.charCodeAt(i) <= LAST_SPACE) i++
  return i
}
