/**
 * Shares running answers through Redis. Each write contains the whole text, and a turn has one write at a time, so that a
 * stored text is always a prefix of the answer.
 */
import type { Logger } from '@keelson/primitives'
import { Redis } from 'ioredis'
import type { TurnHandover } from './turn-handover.ts'

const COMMAND_TIMEOUT_MS = 500
const PREFIX = 'keelson:chat:'
/** Longer than the maximum silence of a turn. */
const LIFETIME_MS = 360_000
/** Writes in progress; further texts are queued. */
const MAX_WRITING = 10_000

export function createRedisTurnHandover(url: string, log: Logger): TurnHandover {
  const redis = new Redis(url, { maxRetriesPerRequest: 0, commandTimeout: COMMAND_TIMEOUT_MS, enableOfflineQueue: false })
  let away = false
  const lost = (error: unknown) => {
    // the address may contain a password
    const reason = (error as { code?: string }).code ?? (error instanceof Error ? error.name : 'unknown')
    if (!away) log.warn('Redis is unreachable; answers of other servers are available once complete', { error: reason })
    away = true
  }
  redis.on('error', lost)
  redis.on('ready', () => {
    away = false
  })
  /** Next text by key, while a write is in progress. */
  const writing = new Map<string, string | null>()
  const write = async (key: string, text: string) => {
    writing.set(key, null)
    await redis.set(key, text, 'PX', LIFETIME_MS).catch(lost)
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
      redis.get(keyOf(sessionId, turn)).catch((error: unknown) => {
        lost(error)
        return null
      }),
    async close() {
      redis.disconnect()
    },
  }
}
