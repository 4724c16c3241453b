/** Assembles the chat. */
import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics, Service } from '@keelson/runtime'
import type { AnyRoute } from '../http/route.ts'
import type { OpenedDatabase } from '../storage/database.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import type { ChatAgent } from './chat-agent.ts'
import { type ChatRouteDependencies, createChatRoutes } from './chat-routes.ts'
import { createChatStore } from './chat-store.ts'
import { createChatTurns } from './chat-turns.ts'
import type { ModelAgentDependencies } from './providers/model-agent.ts'
import type { ModelConfig } from './providers/model-config.ts'
import { createRedisTurnHandover } from './redis-turn-handover.ts'
import { createStreamPlaces } from './stream-places.ts'
import { NO_HANDOVER } from './turn-handover.ts'

export interface ChatDependencies {
  /** Used without a model. */
  readonly agent: ChatAgent
  /** Tools for a model. */
  readonly toolbox: Toolbox
  /** Null for none. */
  readonly model: ModelConfig | null
  readonly database: Pick<OpenedDatabase, 'db' | 'engine'>
  /** Shares running answers between servers; null for none. */
  readonly redisUrl: string | null
  readonly isTokenGood: ChatRouteDependencies['isTokenGood']
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface Chat extends Service {
  readonly routes: readonly AnyRoute[]
  /** Ends the turns of a deleted session. */
  drop(sessionId: string): void
}

const MAX_STREAMS = { ofUser: 10, all: 1_000 }

export async function createChat(deps: ChatDependencies): Promise<Chat> {
  const { database, redisUrl, isTokenGood, clock, metrics } = deps
  const log = deps.log.child('chat')
  const agent = deps.model === null ? deps.agent : await openModelAgent(deps.model, { ...deps, log })
  const store = createChatStore(database.db)
  const handover = redisUrl === null ? NO_HANDOVER : createRedisTurnHandover(redisUrl, log)
  const turns = createChatTurns({ agent, store, handover, clock, log, ...(metrics === undefined ? {} : { metrics }) })
  const places = createStreamPlaces(MAX_STREAMS)
  metrics?.gauge('chat_streams_open', 'Readers of streamed answers', [], () => places.open)
  return {
    name: 'chat',
    routes: createChatRoutes({ turns, store, places, isTokenGood, clock }),
    drop: (sessionId) => turns.drop(sessionId),
    async start() {
      // no other process uses the embedded database, so earlier turns are over
      if (database.engine === 'pglite') await store.releaseAll()
    },
    async stop() {
      await turns.stop()
      await handover.close()
    },
  }
}

/** Loads the model libraries on demand, because they are large. */
async function openModelAgent(model: ModelConfig, deps: ModelAgentDependencies): Promise<ChatAgent> {
  const { createModelAgent } = await import('./providers/model-agent.ts')
  return createModelAgent(model, deps)
}
