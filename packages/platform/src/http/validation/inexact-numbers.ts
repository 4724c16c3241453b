/**
 * JSON.parse rounds to the nearest double, so that 1000000000000000001 would pass as the maximum of 10^18, 10000.0000000000000001 as
 * 10000 and -1e-400 as zero. A number that only rounding makes an integer becomes the next double on its side of that integer, so
 * comparisons with the bounds of a schema, which are integers, hold.
 */
import { Decimal } from 'decimal.js'
import { stringEnd } from './string-end.ts'

/** Fifteen significant digits of a number without an exponent survive as a double. */
const MAYBE_INEXACT = /[\d.]{16}|\d[eE]/
const NUMBER = /-?\d[\d.eE+-]*/y
const VALID = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const QUOTE = 0x22

/** Text that is not JSON stays so. */
export function apartFromIntegers(text: string): string {
  if (!MAYBE_INEXACT.test(text)) return text
  const parts: string[] = []
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = stringEnd(text, at)
    else if (isNumberStart(code)) {
      NUMBER.lastIndex = at
      const token = NUMBER.exec(text)?.[0] ?? ''
      const other = neighbourOf(token)
      if (other !== null) {
        parts.push(text.slice(copied, at), other)
        copied = at + token.length
      }
      at += Math.max(0, token.length - 1)
    }
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied)
}

function isNumberStart(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d
}

/** Null for a number that stays as it is. */
function neighbourOf(token: string): string | null {
  if (!MAYBE_INEXACT.test(token) || !VALID.test(token)) return null
  const nearest = Number(token)
  if (!Number.isInteger(nearest)) return null
  // Compares the number as written with the shortest text of the double that JSON.parse makes of it.
  const side = new Decimal(token).comparedTo(nearest)
  return side === 0 ? null : String(nextDouble(nearest, side > 0))
}

function nextDouble(value: number, up: boolean): number {
  if (value === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  view.setBigUint64(0, view.getBigUint64(0) + (value > 0 === up ? 1n : -1n))
  return view.getFloat64(0)
}
