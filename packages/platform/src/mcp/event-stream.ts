/** A stream of server-sent events that others write to: comments while nothing happens, and an end for who does not read. */
import type { OutgoingHttpHeaders } from 'node:http'
import type { Clock } from '@keelson/primitives'
import type { FastifyReply } from 'fastify'

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
  end(): void
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>
}

/** Below the 30 s and 60 s after which proxies take a connection for dead. */
export const HEARTBEAT_MS = 15_000

/** Takes the reply over. */
export function openEventStream(reply: FastifyReply, { over, isGood, behindBytes, clock }: EventStreamOptions): EventStream {
  const headers = {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
    connection: 'close',
  }
  reply.hijack()
  const { raw } = reply
  const gone = new AbortController()
  const closed = new Promise<void>((resolve) => (raw.destroyed ? resolve() : raw.once('close', resolve)))
  void closed.then(() => gone.abort())
  // a reader that breaks off in the middle of a write is no failure
  raw.on('error', () => gone.abort())
  const end = () => void raw.end()
  if (over.aborted) queueMicrotask(end)
  else {
    over.addEventListener('abort', end, { once: true })
    void closed.then(() => over.removeEventListener('abort', end))
  }
  raw.writeHead(200, headers)
  raw.flushHeaders()
  void beat()
  return {
    closed,
    end,
    send({ data, event, id }) {
      if (raw.writableEnded || raw.destroyed) return
      raw.write(`${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`)
      if (raw.writableLength > behindBytes) raw.destroy()
    },
  }

  async function beat(): Promise<void> {
    let wasStuck = false
    while (!gone.signal.aborted) {
      await clock.sleep(HEARTBEAT_MS, gone.signal).catch(() => undefined)
      if (gone.signal.aborted) return
      // while the database is away nobody can say, and the next heartbeat asks again
      if (!(await isGood().catch(() => true))) end()
      // who takes nothing from one heartbeat to the next, the end included, holds a place of others
      const isStuck = raw.writableEnded || raw.writableNeedDrain
      if (isStuck && wasStuck) return void raw.destroy()
      wasStuck = isStuck
      if (!isStuck) raw.write(': heartbeat\n\n')
    }
  }
}
