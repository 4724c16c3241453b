/** Near the limit, text is held back until its whole sentence fits. */
import { MAX_MESSAGE_CHARACTERS } from '../schemas/chat.ts'

const ELLIPSIS = ' …'
const HELD_CHARACTERS = 400
const SENTENCE_END = /[.!?…](?=\s)|\n/g
const UNPAIRED = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g
const FIRST_HALF = /[\uD800-\uDBFF]$/

export class AnswerLimit {
  readonly #max: number
  #text = ''
  #sent = 0
  #half = ''
  #full = false

  constructor(max = MAX_MESSAGE_CHARACTERS) {
    this.#max = max
  }

  get full(): boolean {
    return this.#full
  }

  push(fragment: string): string {
    const all = this.#half + fragment
    this.#half = FIRST_HALF.exec(all)?.[0] ?? ''
    return this.#take(this.#half === '' ? all : all.slice(0, -1), false)
  }

  end(): string {
    return this.#take(this.#half, true)
  }

  #take(text: string, isLast: boolean): string {
    if (this.#full) return ''
    this.#text += text.replace(UNPAIRED, '\uFFFD').replaceAll('\0', '')
    const room = this.#max - ELLIPSIS.length
    if (this.#text.length > this.#max) return this.#cut(room)
    const free = room - HELD_CHARACTERS
    if (isLast || this.#text.length <= free) return this.#release(this.#text.length)
    return this.#release(Math.max(this.#sent, wholeCharacters(this.#text, free), this.#sentenceEnd(this.#text, room)))
  }

  #cut(room: number): string {
    this.#full = true
    const end = this.#sentenceEnd(this.#text.slice(0, room), room)
    const isEnded = this.#sent > 0 && /[.!?…\n]\s*$/.test(this.#text.slice(0, this.#sent))
    const at = end > this.#sent ? end : isEnded ? this.#sent : this.#wordEnd(room)
    const before = this.#text.slice(0, this.#sent)
    const last = this.#release(at).trimEnd()
    return last === '' && /\s$/.test(before) ? ELLIPSIS.trimStart() : last + ELLIPSIS
  }

  #release(until: number): string {
    const text = this.#text.slice(this.#sent, until)
    this.#sent = until
    return text
  }

  #sentenceEnd(text: string, most: number): number {
    const ends = [...text.matchAll(SENTENCE_END)].map((end) => end.index + end[0].length)
    return ends.findLast((end) => end <= most) ?? 0
  }

  #wordEnd(limit: number): number {
    const space = this.#text.lastIndexOf(' ', limit)
    return space > this.#sent ? space : wholeCharacters(this.#text, limit)
  }
}

function wholeCharacters(text: string, length: number): number {
  return FIRST_HALF.test(text.charAt(length - 1)) ? length - 1 : length
}
