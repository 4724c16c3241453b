import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics, Service } from '@keelson/runtime'
import type { AnyRoute } from '../http/route.ts'
import type { OpenedDatabase } from '../storage/database.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import type { ChatAgent } from './chat-agent.ts'
import { createChatRoutes } from './chat-routes.ts'
import { ChatStore } from './chat-store.ts'
import { ChatStreams, type ChatStreamsDependencies } from './chat-streams.ts'
import { ChatTurns } from './chat-turns.ts'
import type { ModelConfig } from './providers/model-config.ts'
import { createRedisTurnHandover } from './redis-turn-handover.ts'
import { NO_HANDOVER } from './turn-handover.ts'

export interface ChatDependencies {
  readonly agent: ChatAgent
  readonly toolbox: Toolbox
  readonly model: ModelConfig | null
  readonly database: Pick<OpenedDatabase, 'db' | 'engine'>
  readonly redisUrl: string | null
  readonly isTokenGood: ChatStreamsDependencies['isTokenGood']
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface Chat extends Service {
  readonly routes: readonly AnyRoute[]
  drop(sessionId: string): void
}

export async function createChat(deps: ChatDependencies): Promise<Chat> {
  const { database, model, redisUrl, isTokenGood, clock, metrics } = deps
  const log = deps.log.child('chat')
  // the model libraries are large
  const agent = model === null ? deps.agent : (await import('./providers/model-agent.ts')).createModelAgent(model, { ...deps, log })
  const store = new ChatStore(database.db)
  const handover = redisUrl === null ? NO_HANDOVER : createRedisTurnHandover(redisUrl, { clock, log })
  const turns = new ChatTurns({ agent, store, handover, clock, log, metrics })
  const streams = new ChatStreams({ turns, store, isTokenGood, clock })
  metrics?.gauge('chat_streams_open', 'Readers of streamed answers', [], () => streams.open)
  return {
    name: 'chat',
    routes: createChatRoutes({ turns, streams, store }),
    drop: (sessionId) => turns.drop(sessionId),
    async start() {
      // stale leases: no other process uses the embedded database
      if (database.engine === 'pglite') await store.releaseAll()
    },
    async stop() {
      await turns.stop()
      await handover.close()
    },
  }
}
