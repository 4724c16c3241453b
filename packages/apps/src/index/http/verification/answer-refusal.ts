import type { FastifyReply } from 'fastify'
import type { VerifyProblem, VerifyRefusal } from '../../verify/verify-refusal.ts'

const STATUS: Readonly<Record<VerifyProblem, number>> = {
  'not-found': 404,
  delegation: 422,
  'no-compiler': 503,
  'compile-failed': 422,
  'compile-limit': 422,
  mismatch: 422,
  'constructor-arguments': 422,
  'rate-limited': 429,
  busy: 503,
  full: 503,
}

export function answerRefusal(reply: FastifyReply, { problem, message, expected, retryAfterSec }: VerifyRefusal): FastifyReply {
  if (retryAfterSec !== null) reply.header('retry-after', String(retryAfterSec))
  return reply.code(STATUS[problem]).send({ error: problem, message, expected })
}
