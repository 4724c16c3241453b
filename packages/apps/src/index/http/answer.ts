import { ClientError } from '@keelson/client'
import type { Clock } from '@keelson/primitives'
import { withDeadline } from '@keelson/runtime'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Query } from './read-params.ts'

export interface RouteRequest {
  readonly params: Readonly<Record<string, string>> & Record<'address' | 'block' | 'hash', string>
  readonly query: Query
}

/** Bounds the requests that wait for the database or the node. */
export interface RouteGuard {
  readonly clock: Clock
  readonly indexedBlock: () => number | null
  waiting: number
}

const MAX_WAITING = 200
const TIMEOUT_MS = 8_000
const RETRY_AFTER_SEC = 2

/** `answer` returns null for 404. */
export function answerTo(app: FastifyInstance, guard: RouteGuard) {
  return (path: string, answer: (request: RouteRequest) => Promise<object | null>): void => {
    app.get(path, async (request, reply) => {
      if (guard.waiting >= MAX_WAITING) return unavailable(reply, 'too many requests are waiting')
      guard.waiting++
      const work = answer({ params: request.params as RouteRequest['params'], query: request.query as Query })
      // A late answer still occupies the database.
      const done = () => {
        guard.waiting--
      }
      work.then(done, done)
      try {
        const found = await withDeadline(work, { clock: guard.clock, ms: TIMEOUT_MS, onTimeout: () => undefined })
        if (found === undefined) return unavailable(reply, 'the database or the node did not answer in time')
        return found ?? missing(reply, guard.indexedBlock())
      } catch (error) {
        if (error instanceof ClientError) return unavailable(reply, 'the node of L2 does not answer')
        throw error
      }
    })
  }
}

function missing(reply: FastifyReply, block: number | null): FastifyReply {
  const expected = block === null ? 'a request when the index has blocks' : `what is in a block up to ${block}, the newest indexed`
  return reply.code(404).send({ error: 'not-found', message: 'the index does not have it', expected })
}

function unavailable(reply: FastifyReply, message: string): FastifyReply {
  reply.header('retry-after', String(RETRY_AFTER_SEC))
  return reply.code(503).send({ error: 'unavailable', message, expected: 'the same request later' })
}
