/** The chat put together: its routes, and what starts and stops with the platform. */
import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics, Service } from '@keelson/runtime'
import type { AnyRoute } from '../http/route.ts'
import type { OpenedDatabase } from '../storage/database.ts'
import type { ChatAgent } from './chat-agent.ts'
import { createChatDesk } from './chat-desk.ts'
import { type ChatRouteDependencies, createChatRoutes } from './chat-routes.ts'
import { createChatStore } from './chat-store.ts'
import { createRedisTurnHandover } from './redis-turn-handover.ts'
import { createStreamPlaces } from './stream-places.ts'
import { NO_HANDOVER } from './turn-handover.ts'

export interface ChatDependencies {
  readonly agent: ChatAgent
  readonly database: Pick<OpenedDatabase, 'db' | 'engine'>
  /** Through it other servers go on with answers of this one; null for none. */
  readonly redisUrl: string | null
  readonly isTokenGood: ChatRouteDependencies['isTokenGood']
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface Chat extends Service {
  readonly routes: readonly AnyRoute[]
  /** The session is gone. */
  drop(sessionId: string): void
}

const MAX_STREAMS = { ofUser: 10, all: 1_000 }

export function createChat({ agent, database, redisUrl, isTokenGood, clock, metrics, ...deps }: ChatDependencies): Chat {
  const log = deps.log.child('chat')
  const store = createChatStore(database.db)
  const handover = redisUrl === null ? NO_HANDOVER : createRedisTurnHandover(redisUrl, log)
  const desk = createChatDesk({ agent, store, handover, clock, log, ...(metrics === undefined ? {} : { metrics }) })
  const places = createStreamPlaces(MAX_STREAMS)
  metrics?.gauge('chat_streams_open', 'Readers of streamed answers', [], () => places.open)
  return {
    name: 'chat',
    routes: createChatRoutes({ desk, store, places, isTokenGood, clock }),
    drop: (sessionId) => desk.drop(sessionId),
    async start() {
      // nobody else uses the embedded database, so whatever was under way there has ended
      if (database.engine === 'pglite') await store.releaseAll()
    },
    async stop() {
      await desk.stop()
      await handover.close()
    },
  }
}
