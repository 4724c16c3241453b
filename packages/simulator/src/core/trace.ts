import { createHash } from 'node:crypto'

/** A running hash over all that happened. */
export interface Trace {
  note(atUs: number, owner: string, what: string): void
  content(bytes: Uint8Array | string): void
  /** 64 hexadecimal digits. */
  hash(): string
}

/** Short texts are collected up to this size, because each update of the hash costs a call out of JavaScript. */
const COLLECTED_BYTES = 64 * 1024
/** UTF-8 needs at most three bytes for a UTF-16 unit. */
const MAX_UNIT_BYTES = 3

export function createTrace(): Trace {
  const running = createHash('sha256')
  const collected = Buffer.alloc(COLLECTED_BYTES)
  let length = 0
  const flush = () => {
    running.update(collected.subarray(0, length))
    length = 0
  }
  const addText = (text: string) => {
    if (length + MAX_UNIT_BYTES * text.length > COLLECTED_BYTES) flush()
    if (MAX_UNIT_BYTES * text.length > COLLECTED_BYTES) running.update(text)
    else length += collected.write(text, length)
  }
  const addBytes = (bytes: Uint8Array) => {
    if (length + bytes.length > COLLECTED_BYTES) flush()
    if (bytes.length > COLLECTED_BYTES) return void running.update(bytes)
    collected.set(bytes, length)
    length += bytes.length
  }
  return {
    note: (atUs, owner, what) => addText(`${atUs} ${owner} ${what}\n`),
    content: (content) => (typeof content === 'string' ? addText(content) : addBytes(content)),
    hash() {
      flush()
      return running.copy().digest('hex')
    },
  }
}
