/**
 * The streams of answers of one session (Streamable HTTP), kept for a while: a client whose stream broke off asks for
 * what came after the last event it saw. Event ids are `stream-number` and mean nothing in another session.
 */
import type { McpAnswer } from '../schemas/mcp.ts'
import type { EventStream } from './event-stream.ts'

export interface AnswerStream {
  /** The id of an event without a message, from which a client can go on. */
  readonly firstId: string
  add(answer: McpAnswer): void
  /** All answers are there: readers have seen the end. */
  finish(): void
  /** Sends what is there and what comes; a reader before this one is ended. */
  attach(reader: EventStream): void
}

export interface AnswerLog {
  open(): AnswerStream
  /** From the event after this one; null when its stream is not kept, or never was. */
  resume(lastEventId: string): ((reader: EventStream) => void) | null
}

export interface AnswerLogLimits {
  readonly keptBytes: number
  readonly keptStreams: number
}

interface KeptStream {
  readonly number: number
  texts: string[]
  bytes: number
  isDone: boolean
  isForgotten: boolean
  reader: EventStream | null
}

const EVENT_ID = /^(\d{1,9})-(\d{1,9})$/

export function createAnswerLog({ keptBytes, keptStreams }: AnswerLogLimits): AnswerLog {
  /** Oldest first. */
  const kept = new Map<number, KeptStream>()
  let opened = 0
  let bytes = 0

  const forget = (stream: KeptStream) => {
    if (!kept.delete(stream.number)) return
    bytes -= stream.bytes
    stream.isForgotten = true
    stream.texts = []
  }
  const tidy = () => {
    for (const stream of kept.values()) {
      if (bytes <= keptBytes && kept.size <= keptStreams) return
      // one that is under way has a reader that waits for it, or will have
      if (stream.isDone || bytes > keptBytes) forget(stream)
    }
  }
  const attach = (stream: KeptStream, reader: EventStream, after: number) => {
    stream.reader?.end()
    stream.reader = reader
    stream.texts.forEach((data, i) => {
      if (i + 1 > after) reader.send(eventOf(stream, i + 1, data))
    })
    if (stream.isDone) reader.end()
  }
  return {
    open() {
      const stream: KeptStream = { number: ++opened, texts: [], bytes: 0, isDone: false, isForgotten: false, reader: null }
      kept.set(stream.number, stream)
      tidy()
      let sent = 0
      return {
        firstId: `${stream.number}-0`,
        add(answer) {
          const data = JSON.stringify(answer)
          stream.reader?.send(eventOf(stream, ++sent, data))
          if (stream.isForgotten) return
          stream.texts.push(data)
          stream.bytes += data.length
          bytes += data.length
          tidy()
        },
        finish() {
          stream.isDone = true
          stream.reader?.end()
          tidy()
        },
        attach: (reader) => attach(stream, reader, 0),
      }
    },
    resume(lastEventId) {
      const [, number, after] = EVENT_ID.exec(lastEventId) ?? []
      const stream = kept.get(Number(number))
      if (stream === undefined || Number(after) > stream.texts.length) return null
      return (reader) => attach(stream, reader, Number(after))
    },
  }
}

function eventOf({ number }: KeptStream, position: number, data: string) {
  return { data, event: 'message', id: `${number}-${position}` }
}
