/** A turn has one write at a time, so that a stored text is always a prefix of the answer. */
import { SharedRedis, type SharedRedisDependencies } from '../storage/shared-redis.ts'
import type { TurnHandover } from './turn-handover.ts'

const PREFIX = 'keelson:chat:'
const LIFETIME_MS = 360_000
const MAX_WRITING = 10_000

export function createRedisTurnHandover(url: string, deps: SharedRedisDependencies): TurnHandover {
  const shared = new SharedRedis(url, deps, 'other servers read an answer once it is complete')
  const writing = new Map<string, string | null>()
  const write = async (key: string, text: string) => {
    writing.set(key, null)
    await shared.ask<unknown>(
      (redis) => redis.set(key, text, 'PX', LIFETIME_MS),
      () => null,
    )
    const next = writing.get(key)
    writing.delete(key)
    if (typeof next === 'string') await write(key, next)
  }
  const keyOf = (sessionId: string, turn: number) => `${PREFIX}${sessionId}:${turn}`
  return {
    publish(sessionId, turn, text) {
      const key = keyOf(sessionId, turn)
      if (writing.has(key)) writing.set(key, text)
      else if (writing.size < MAX_WRITING) void write(key, text)
    },
    read: (sessionId, turn) =>
      shared.ask(
        (redis) => redis.get(keyOf(sessionId, turn)),
        () => null,
      ),
    close: () => shared.close(),
  }
}
