/** A stream of server-sent events that others write to whenever they have something; what its reader has not taken waits, within limits. */
import type { Clock } from '@keelson/primitives'
import type { FastifyReply } from 'fastify'
import { sendEventStream } from '../http/event-stream.ts'

export interface EventStreamOptions {
  /** Ends it. */
  readonly over: AbortSignal
  /** Asked with each heartbeat: whether the reader may go on. */
  isGood(): Promise<boolean>
  readonly behindBytes: number
  readonly clock: Clock
}

export interface SentEvent {
  readonly data: string
  readonly event?: string
  readonly id?: string
}

export interface EventStream {
  /** Cuts the reader off when it is too far behind. Nothing happens on a stream that has ended. */
  send(event: SentEvent): void
  /** When what was sent is gone. */
  end(): void
  /** Resolves when it has ended, or its reader is gone. */
  readonly closed: Promise<void>
}

/** Takes the reply over. */
export function openEventStream(reply: FastifyReply, { over, isGood, behindBytes, clock }: EventStreamOptions): EventStream {
  const leaving = new AbortController()
  const done = AbortSignal.any([leaving.signal, over])
  let waiting: string[] = []
  let bytes = 0
  let hasEnded = false
  let wake: () => void = () => undefined
  done.addEventListener('abort', () => wake(), { once: true })

  async function* events(): AsyncGenerator<string> {
    for (;;) {
      const next = waiting.shift()
      if (next !== undefined) {
        bytes -= next.length
        yield next
      } else if (hasEnded || done.aborted) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }
  return {
    closed: sendEventStream(reply, events(), { leaving, stopping: over, isGood, clock, bodyless: false }),
    end() {
      hasEnded = true
      wake()
    },
    send({ data, event, id }) {
      if (hasEnded || done.aborted) return
      const text = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`
      waiting.push(text)
      bytes += text.length
      wake()
      if (bytes <= behindBytes) return
      waiting = []
      reply.raw.destroy()
    },
  }
}
