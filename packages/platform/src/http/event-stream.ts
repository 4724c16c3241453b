/** A text/event-stream as an answer: as fast as the reader takes it, comments while nothing happens, nobody held for a reader who is gone. */
import type { OutgoingHttpHeaders } from 'node:http'
import type { Clock } from '@keelson/primitives'
import type { FastifyReply } from 'fastify'

export interface EventStreamContext {
  /** Aborted here when the reader has gone, or may not read any more. */
  readonly leaving: AbortController
  readonly stopping: AbortSignal
  /** Asked with each heartbeat. */
  isGood(): Promise<boolean>
  readonly clock: Clock
  /** Headers only. */
  readonly bodyless: boolean
  /** Sends only events and comments, without a `retry:` field. Default: false. */
  readonly plain?: boolean
}

/** Below the 30 s and 60 s after which proxies take a connection for dead. */
export const HEARTBEAT_MS = 15_000
const RETRY_MS = 2_000

/** `events` are whole events as text; the next one is asked for when the last was taken. Resolves when the stream has ended; takes the reply over. */
export async function sendEventStream(
  reply: FastifyReply,
  events: AsyncIterable<string>,
  { leaving, stopping, isGood, clock, bodyless, plain = false }: EventStreamContext,
): Promise<void> {
  const headers = {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
    connection: 'close',
  }
  reply.hijack()
  const { raw } = reply
  raw.on('close', () => leaving.abort())
  // a reader that breaks off in the middle of a write is no failure
  raw.on('error', () => leaving.abort())
  if (raw.destroyed) return leaving.abort()
  raw.writeHead(200, headers)
  if (bodyless) {
    raw.end()
    return
  }
  if (plain) raw.flushHeaders()
  else raw.write(`retry: ${RETRY_MS}\n\n`)
  const over = AbortSignal.any([leaving.signal, stopping])
  const beating = beat()
  try {
    for await (const event of events) {
      if (!raw.write(event)) await drained()
      if (leaving.signal.aborted) break
    }
  } finally {
    leaving.abort()
    await beating
    raw.end()
  }

  async function beat(): Promise<void> {
    let wasStuck = false
    while (!over.aborted) {
      await clock.sleep(HEARTBEAT_MS, over).catch(() => undefined)
      if (over.aborted) return
      // while the database is away nobody can say, and the next heartbeat asks again
      if (!(await isGood().catch(() => true))) return leaving.abort()
      // who takes nothing from one heartbeat to the next holds a place of others
      if (raw.writableNeedDrain && wasStuck) return void raw.destroy()
      wasStuck = raw.writableNeedDrain
      if (!over.aborted && !wasStuck) raw.write(': heartbeat\n\n')
    }
  }

  function drained(): Promise<void> {
    return new Promise((resolve) => {
      if (over.aborted) return resolve()
      const go = () => {
        raw.off('drain', go)
        over.removeEventListener('abort', go)
        resolve()
      }
      raw.once('drain', go)
      over.addEventListener('abort', go, { once: true })
    })
  }
}
