import type { OutgoingHttpHeaders } from 'node:http'
import type { Clock } from '@keelson/primitives'
import type { FastifyReply } from 'fastify'

export interface EventStreamContext {
  readonly leaving: AbortController
  readonly stopping: AbortSignal
  isGood(): Promise<boolean>
  readonly clock: Clock
  readonly bodyless: boolean
  readonly plain?: boolean
}

/** Proxies close idle connections after 30 to 60 s. */
export const HEARTBEAT_MS = 15_000
const RETRY_MS = 2_000

/** Sends heartbeats, and closes the stream when the reader stops reading. */
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
      // an unavailable database is no reason to close the stream
      if (!(await isGood().catch(() => true))) return leaving.abort()
      // nothing was read between two heartbeats
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
