import { createManualClock, createMetrics, createSilentLogger, type ManualClock, type Metrics } from '@keelson/runtime'
import { createPlatformServer, type PlatformServer } from '../http/platform-server.ts'
import { createMemoryRateLimits } from '../http/rate-limit-store.ts'
import type { Caller } from '../http/route.ts'
import type { Message } from '../schemas/chat.ts'
import { openTestDatabase } from '../storage/database.test-support.ts'
import { type Database, isDatabaseAway } from '../storage/database.ts'
import { sessions, users } from '../storage/schema/auth.ts'
import { createToolbox } from '../tools/toolbox.ts'
import type { ChatAgent, ChatTurn } from './chat-agent.ts'
import { type Chat, createChat } from './create-chat.ts'

export const START_MS = Date.parse('2026-01-01T00:00:00Z')
const ids = { ann: 'a', 'ann-too': 'b', bob: 'c' } as const
export const SESSION = (name: keyof typeof ids) => `${ids[name].repeat(8)}-0000-4000-8000-${ids[name].repeat(12)}`
export const CALLERS: Readonly<Record<string, Caller>> = {
  ann: { tier: 'session', userId: 1, sessionId: SESSION('ann') },
  'ann-too': { tier: 'session', userId: 1, sessionId: SESSION('ann-too') },
  bob: { tier: 'session', userId: 2, sessionId: SESSION('bob') },
}

export interface ScriptedTurn {
  readonly turn: ChatTurn
  say(...fragments: readonly string[]): void
  finish(): void
  fail(error: unknown): void
}

export interface ScriptedAgent extends ChatAgent {
  next(): Promise<ScriptedTurn>
  readonly begun: number
}

export function createScriptedAgent(): ScriptedAgent {
  const begun: ScriptedTurn[] = []
  const waiting: ((turn: ScriptedTurn) => void)[] = []
  let count = 0
  return {
    name: 'scripted',
    get begun() {
      return count
    },
    next: () => {
      const turn = begun.shift()
      return turn === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(turn)
    },
    async *answer(turn) {
      const queue: (readonly ['say', string] | readonly ['finish'] | readonly ['fail', unknown])[] = []
      let wake: () => void = () => undefined
      const push = (step: (typeof queue)[number]) => {
        queue.push(step)
        wake()
      }
      const scripted: ScriptedTurn = {
        turn,
        say: (...fragments) => {
          for (const fragment of fragments) push(['say', fragment])
        },
        finish: () => push(['finish']),
        fail: (error) => push(['fail', error]),
      }
      count++
      const waiter = waiting.shift()
      if (waiter === undefined) begun.push(scripted)
      else waiter(scripted)
      for (;;) {
        const step = queue.shift()
        if (step === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        } else if (step[0] === 'say') yield step[1]
        else if (step[0] === 'fail') throw step[1]
        else return
      }
    },
  }
}

export interface ChatWorld {
  readonly agent: ScriptedAgent
  readonly db: Database
  readonly clock: ManualClock
  readonly chat: Chat
  readonly server: PlatformServer
  readonly metrics: Metrics
  readonly expired: Set<string>
  // biome-ignore lint/suspicious/noExplicitAny: what a client sees
  ask(method: 'GET' | 'POST' | 'DELETE', path: string, json?: unknown, token?: string): Promise<{ status: number; body: any; headers: any }>
  history(token?: string): Promise<readonly Message[]>
  stream(options?: StreamOptions): Promise<StreamReader>
  close(): Promise<void>
}

export interface StreamOptions {
  readonly json?: unknown
  readonly token?: string
  readonly lastEventId?: string
  readonly query?: string
}

export interface StreamReader {
  readonly status: number
  readonly headers: Headers
  saw(piece: string | ((text: string) => boolean)): Promise<string>
  end(): Promise<string>
  leave(): void
  place(): string
}

export const question = (content: string) => ({ messages: [{ role: 'user', content }] })

export interface ChatWorldOptions {
  readonly db?: Database
  readonly redisUrl?: string
  readonly agent?: ScriptedAgent
  readonly clock?: ManualClock
  readonly limitScale?: number
}

/** Worlds with one database and clock are servers of one platform. */
export async function createChatWorld(options: ChatWorldOptions = {}): Promise<ChatWorld> {
  const db = options.db ?? (await openTestDatabase())
  if (options.db === undefined) await addSessions(db)
  const clock = options.clock ?? createManualClock(START_MS)
  const agent = options.agent ?? createScriptedAgent()
  const log = createSilentLogger()
  const metrics = createMetrics('test')
  const expired = new Set<string>()
  const authenticate = async (token: string) => (expired.has(token) ? null : (CALLERS[token] ?? null))
  const isTokenGood = async (authorization: string | undefined) => (await authenticate(authorization?.split(' ')[1] ?? '')) !== null
  const database = { db, engine: 'postgres' as const }
  const chat = await createChat({
    agent,
    model: null,
    toolbox: createToolbox([]),
    database,
    redisUrl: options.redisUrl ?? null,
    isTokenGood,
    clock,
    log,
    metrics,
  })
  const server = await createPlatformServer(
    {
      host: '127.0.0.1',
      port: 0,
      virtualHosts: [],
      version: '1',
      trustedProxies: [],
      corsOrigins: [],
      limitScale: options.limitScale ?? 100,
    },
    {
      routes: chat.routes,
      authenticator: { verify: authenticate, isThere: async () => true },
      limits: createMemoryRateLimits(clock),
      isOutage: isDatabaseAway,
      clock,
      log,
    },
  )
  const signal = new AbortController().signal
  await chat.start(signal)
  await server.start(signal)
  const ask: ChatWorld['ask'] = async (method, path, json, token = 'ann') => {
    const response = await fetch(`${server.url}/api/v1/chatbot${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.json() }
  }
  let closed = false
  return {
    agent,
    db,
    clock,
    chat,
    server,
    metrics,
    expired,
    ask,
    history: async (token) => (await ask('GET', '/messages', undefined, token)).body.messages,
    stream: ({ json, token = 'ann', lastEventId, query = '' } = {}) =>
      readStream(
        `${server.url}/api/v1/chatbot/chat/stream${query}`,
        {
          method: json === undefined ? 'GET' : 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            ...(json === undefined ? {} : { 'content-type': 'application/json' }),
            ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
          },
          ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        },
        lastEventId ?? /last_event_id=(.+)/.exec(query)?.[1],
      ),
    async close() {
      if (closed) return
      closed = true
      await chat.stop()
      const stopped = server.stop()
      await clock.advance(5_000)
      await stopped
    },
  }
}

async function addSessions(db: Database): Promise<void> {
  const createdAt = new Date(START_MS)
  await db.insert(users).values(['ann@example.org', 'bob@example.org'].map((email) => ({ email, passwordHash: '-', createdAt })))
  const rows = Object.values(CALLERS).flatMap((caller) => (caller.tier === 'session' ? [caller] : []))
  await db.insert(sessions).values(rows.map(({ sessionId, userId }) => ({ id: sessionId, userId, name: '', createdAt })))
}

async function readStream(url: string, init: RequestInit, lastEventId: string | undefined): Promise<StreamReader> {
  const leaving = new AbortController()
  const response = await fetch(url, { ...init, signal: leaving.signal })
  const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (done: () => boolean) => {
    while (!done()) {
      const piece = await pieces?.read()
      if (piece === undefined || piece.done) return
      text += piece.value
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    async saw(piece) {
      const seen = typeof piece === 'string' ? () => text.includes(piece) : () => piece(text)
      await until(seen)
      if (!seen()) throw new Error(`the stream ended before what is waited for: ${text}`)
      return text
    },
    async end() {
      await until(() => false)
      return text
    },
    place: () => {
      const from = /-(\d+)$/.exec(lastEventId ?? '')?.[1] ?? '0'
      return `${response.headers.get('x-chat-turn')}-${Number(from) + readAnswerText(text).said.length}`
    },
    leave: () => leaving.abort(),
  }
}

export function readEvents(text: string): { readonly id: string | null; readonly event: string; readonly data: string }[] {
  const events: { id: string | null; event: string; data: string }[] = []
  let id: string | null = null
  for (const block of text.split('\n\n').slice(0, -1)) {
    let event = 'message'
    const data: string[] = []
    for (const line of block.split('\n')) {
      const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
      if (field === 'id') id = value
      else if (field === 'event') event = value
      else if (field === 'data') data.push(value)
    }
    events.push({ id, event, data: data.join('\n') })
  }
  return events
}

export function readAnswerText(text: string): { readonly said: string; readonly lastId: string | null; readonly done: boolean } {
  const events = readEvents(text)
  const parts = events.filter(({ data }) => data !== '' && data !== '[DONE]' && JSON.parse(data).error !== true)
  return {
    said: parts.map(({ data }) => JSON.parse(data).content as string).join(''),
    lastId: events.at(-1)?.id ?? null,
    done: events.some(({ data }) => data === '[DONE]'),
  }
}
