import { ClientError } from '@keelson/client'
import { type Clock, NodeError } from '@keelson/primitives'
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

/** The database or the node does not answer; the error handler answers 503. */
export class UnavailableError extends NodeError<'apps/index-unavailable'> {
  readonly expected = 'the same request later'
  readonly retryAfterSec = RETRY_AFTER_SEC
  constructor(message: string) {
    super('apps/index-unavailable', message)
  }
}

/** Bounds how many requests wait, and for how long. Throws UnavailableError. */
export async function guarded<T>(guard: RouteGuard, start: () => Promise<T>): Promise<T> {
  if (guard.waiting >= MAX_WAITING) throw new UnavailableError('too many requests are waiting')
  guard.waiting++
  const work = start()
  // A late answer still occupies the database.
  const done = () => {
    guard.waiting--
  }
  work.then(done, done)
  const onTimeout = () => {
    throw new UnavailableError('the database or the node did not answer in time')
  }
  try {
    return await withDeadline(work, { clock: guard.clock, ms: TIMEOUT_MS, onTimeout })
  } catch (error) {
    throw error instanceof ClientError ? new UnavailableError('the node of L2 does not answer') : error
  }
}

/** `answer` returns null for 404. */
export function answerTo(app: FastifyInstance, guard: RouteGuard) {
  return (path: string, answer: (request: RouteRequest) => Promise<object | null>): void => {
    app.get(path, async (request, reply) => {
      const start = () => answer({ params: request.params as RouteRequest['params'], query: request.query as Query })
      return (await guarded(guard, start)) ?? missing(reply, guard.indexedBlock())
    })
  }
}

function missing(reply: FastifyReply, block: number | null): FastifyReply {
  const expected = block === null ? 'a request when the index has blocks' : `what is in a block up to ${block}, the newest indexed`
  return reply.code(404).send({ error: 'not-found', message: 'the index does not have it', expected })
}
