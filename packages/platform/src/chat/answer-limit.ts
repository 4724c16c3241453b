/**
 * An answer kept within the length of a message while it is being given: what has gone out cannot be taken back, so near
 * the limit text is held until it is known whether the end of its sentence comes in time. Fragments come out as valid
 * Unicode without null characters, so that they can be stored as they were sent.
 */
import { MAX_MESSAGE_CHARACTERS } from '../schemas/chat.ts'

export interface AnswerLimit {
  /** Nothing more will be taken. */
  readonly full: boolean
  /** What may go out now; empty for nothing yet. */
  push(fragment: string): string
  /** What was held. */
  end(): string
}

const ELLIPSIS = ' …'
/** From here on only whole sentences go out. */
const HELD_CHARACTERS = 400
const SENTENCE_END = /[.!?…](?=\s)|\n/g
const UNPAIRED = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g
const NULLS = /\0/g

export function createAnswerLimit(max = MAX_MESSAGE_CHARACTERS): AnswerLimit {
  const room = max - ELLIPSIS.length
  const freeUntil = Math.max(0, room - HELD_CHARACTERS)
  let sent = 0
  let held = ''
  /** First half of a character whose second half is in the next fragment. */
  let half = ''
  let full = false
  /** End of what went out. */
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

/** Where the last word before `limit` ends; in a text without spaces, before a character that would be cut in two. */
function wordEnd(text: string, limit: number): number {
  const space = text.lastIndexOf(' ', limit)
  return space > 0 ? space : whole(text, limit)
}

function whole(text: string, length: number): number {
  const last = text.charCodeAt(length - 1)
  return last >= 0xd800 && last < 0xdc00 ? length - 1 : length
}
