import { z } from 'zod'
import { valueError } from '../http/api-error.ts'
import { RATE_LIMITS } from '../http/rate-limits.ts'
import { type AnyRoute, defineRoute } from '../http/route.ts'
import { message } from '../schemas/auth.ts'
import { ChatEvents, ChatRequest, ChatResponse, type Message } from '../schemas/chat.ts'
import { EVENT_ID } from './chat-events.ts'
import type { ChatStore } from './chat-store.ts'
import { type ChatStreams, placeOf, TURN_HEADER } from './chat-streams.ts'
import type { ChatTurns } from './chat-turns.ts'

export interface ChatRouteDependencies {
  readonly turns: ChatTurns
  readonly streams: ChatStreams
  readonly store: ChatStore
}

const CHAT = '/api/v1/chatbot/chat'
const MESSAGES = '/api/v1/chatbot/messages'
const BASE = { tag: 'chat', auth: 'session', limit: RATE_LIMITS.chat, verbatim: true } as const
const STREAM = {
  ...BASE,
  path: `${CHAT}/stream`,
  timeout: 'stream',
  answer: ChatEvents,
  answerType: 'text/event-stream',
  answerHeaders: { [TURN_HEADER]: 'Number of the answer: `TURN-N` as Last-Event-ID resumes after its first N characters (UTF-16 units)' },
} as const
/** An answer of 3,000 characters, of up to three bytes each. */
const ANSWER = { bytes: 9_000 }
/** An empty one, which some clients send, is none. */
const eventId = (description: string) => z.string().max(64).optional().meta({ description, pattern: EVENT_ID.source })
const StreamQuery = z.object({ last_event_id: eventId('Resumes after this event; the header Last-Event-ID takes precedence') })
const StreamHeaders = z.object({ 'last-event-id': eventId('Resumes after this event') })

export function createChatRoutes({ turns, streams, store }: ChatRouteDependencies): readonly AnyRoute[] {
  return [
    defineRoute({
      ...BASE,
      method: 'POST',
      path: CHAT,
      summary: 'Answers the last message',
      stores: ANSWER,
      checksPresence: true,
      body: ChatRequest,
      answer: ChatResponse,
      refusals: [400],
      async handle({ caller, body, signal }) {
        assertQuestion(body.messages)
        const { turn, ended } = await turns.begin(caller, body.messages, { streamed: false })
        const giveUp = () => turn.cancel(signal.reason)
        if (signal.aborted) giveUp()
        signal.addEventListener('abort', giveUp, { once: true })
        await ended
        return { messages: [...body.messages, { role: 'assistant' as const, content: turn.state().text }] }
      },
    }),
    defineRoute({
      ...STREAM,
      method: 'POST',
      stores: ANSWER,
      summary: 'Answers the last message as server-sent events; with Last-Event-ID it resumes that answer instead',
      headers: StreamHeaders,
      body: ChatRequest,
      refusals: [400, 404],
      async handle({ body, ...input }) {
        const place = placeOf(input.request.headers['last-event-id'])
        if (place !== null) return streams.resume(input, place, false)
        assertQuestion(body.messages)
        return streams.answer(input, body.messages)
      },
    }),
    defineRoute({
      ...STREAM,
      method: 'GET',
      summary: 'Resumes an answer after Last-Event-ID, with an id on each event; without it, streams the running answer from its beginning',
      // The query's description names the header: as a second parameter it would have the same name in generated clients.
      query: StreamQuery,
      refusals: [404],
      async handle({ query, ...input }) {
        const place = placeOf(input.request.headers['last-event-id'] ?? query.last_event_id)
        return place === null ? streams.follow(input) : streams.resume(input, place, true)
      },
    }),
    defineRoute({
      ...BASE,
      method: 'GET',
      path: MESSAGES,
      summary: 'Messages of the session, oldest first',
      limit: RATE_LIMITS.read,
      answer: ChatResponse,
      handle: async ({ caller }) => ({ messages: [...(await store.list(caller.sessionId))] }),
    }),
    defineRoute({
      ...BASE,
      method: 'DELETE',
      path: MESSAGES,
      summary: 'Deletes the messages of the session, and ends a running answer',
      limit: RATE_LIMITS.write,
      answer: message,
      async handle({ caller }) {
        await turns.clear(caller.sessionId)
        return { message: 'Chat history cleared' }
      },
    }),
  ]
}

function assertQuestion(messages: readonly Message[]): void {
  const last = messages.at(-1)
  if (last?.role !== 'user')
    throw valueError(['body', 'messages', messages.length - 1, 'role'], "the last message must be the user's", last?.role)
}
