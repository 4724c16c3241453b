/**
 * Limits a streamed answer to the length of a message. Near the limit, text is held back until the end of its sentence is
 * known to fit. Fragments are valid Unicode without NUL characters, so that they are stored as sent.
 */
import { MAX_MESSAGE_CHARACTERS } from '../schemas/chat.ts'

export interface AnswerLimit {
  /** No more text is accepted. */
  readonly full: boolean
  /** Returns the text to send now, possibly empty. */
  push(fragment: string): string
  /** Returns the held text. */
  end(): string
}

const ELLIPSIS = ' …'
/** From this length on, only whole sentences are sent. */
const HELD_CHARACTERS = 400
const SENTENCE_END = /[.!?…](?=\s)|\n/g
const UNPAIRED = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g
const NULLS = /\0/g

export function createAnswerLimit(max = MAX_MESSAGE_CHARACTERS): AnswerLimit {
  const room = max - ELLIPSIS.length
  const freeUntil = Math.max(0, room - HELD_CHARACTERS)
  let sent = 0
  let held = ''
  /** First half of a surrogate pair that the next fragment completes. */
  let half = ''
  let full = false
  /** Length of the sent text. */
  let tail = ''

  const release = (length: number) => {
    const text = held.slice(0, length)
    held = held.slice(length)
    sent += text.length
    tail = (tail + text).slice(-3)
    return text
  }
  const cut = () => {
    full = true
    const ends = [...held.slice(0, room - sent).matchAll(SENTENCE_END)]
    const last = ends.at(-1)
    const inSentence = !/[.!?…\n]\s*$/.test(tail)
    const at = last !== undefined ? last.index + last[0].length : inSentence ? wordEnd(held, room - sent) : 0
    const text = release(at).trimEnd()
    held = ''
    return text === '' && /\s$/.test(tail) ? ELLIPSIS.trimStart() : text + ELLIPSIS
  }
  const take = (text: string) => {
    held += text.replace(UNPAIRED, '\uFFFD').replace(NULLS, '')
    if (sent + held.length > max) return cut()
    if (sent + held.length <= freeUntil) return release(held.length)
    const ends = [...held.matchAll(SENTENCE_END)].map((end) => end.index + end[0].length).filter((end) => sent + end <= room)
    const free = sent < freeUntil ? whole(held, freeUntil - sent) : 0
    return release(Math.max(free, ends.at(-1) ?? 0))
  }
  return {
    get full() {
      return full
    },
    push(fragment) {
      if (full) return ''
      const text = half + fragment
      half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : ''
      return take(half === '' ? text : text.slice(0, -1))
    },
    end() {
      if (full) return ''
      const last = half === '' ? '' : take(half)
      return full ? last : last + release(held.length)
    },
  }
}

/** End of the last word before `limit`; without spaces, a position that splits no character. */
function wordEnd(text: string, limit: number): number {
  const space = text.lastIndexOf(' ', limit)
  return space > 0 ? space : whole(text, limit)
}

function whole(text: string, length: number): number {
  const last = text.charCodeAt(length - 1)
  return last >= 0xd800 && last < 0xdc00 ? length - 1 : length
}
