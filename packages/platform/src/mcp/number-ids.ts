/**
 * JSON-RPC 2.0, section 5: the id of an answer is that of its request. JSON.parse would change 12345678901234567890, 1.0 and 1e3, and the
 * SDK knows ids as values only. Such an id is a text with a secret mark inside the server, and again a number on its way out.
 */
import { randomUUID } from 'node:crypto'
import { parseRequest } from '@keelson/runtime'
import { apartFromIntegers } from '../http/validation/inexact-numbers.ts'

const MARK = `number ${randomUUID()} `
const MARKED = new RegExp(`"id":"${MARK}(-?[0-9.eE+-]{1,200})"`, 'g')
const MAX_DIGITS = 200

/** Parses the body of a message or a batch. Throws SyntaxError. */
export function parseMessages(text: string): unknown {
  const { ids } = parseRequest(text)
  const value: unknown = JSON.parse(apartFromIntegers(text))
  for (const [i, message] of [value].flat().entries()) {
    const written = ids[i]
    if (written !== undefined && isMessage(message) && isChanged(written)) message.id = `${MARK}${written}`
  }
  return value
}

/** Whether a number is an integer that would come back as another text. */
function isChanged(written: string): boolean {
  if (written.startsWith('"') || written.length > MAX_DIGITS) return false
  const read = Number(written)
  return Number.isInteger(read) && JSON.stringify(read) !== written
}

function isMessage(value: unknown): value is { id?: unknown } {
  return typeof value === 'object' && value !== null && typeof (value as { id?: unknown }).id === 'number'
}

/** The JSON text of answers with their ids as they were written. */
export function withWrittenIds(json: string): string {
  return json.includes(MARK) ? json.replace(MARKED, '"id":$1') : json
}

/** The id among those asked that a number, as `parseMessages` read it, means; for a cancellation. */
export function idMeantBy<Id>(requestId: Id, asked: Iterable<Id>): Id {
  if (typeof requestId !== 'number') return requestId
  const isMeant = (id: Id) =>
    typeof id === 'string' && id.startsWith(MARK) && JSON.parse(apartFromIntegers(id.slice(MARK.length))) === requestId
  return [...asked].find(isMeant) ?? requestId
}
