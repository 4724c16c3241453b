/** Routes of the chat: whole answers, resumable streams, and the history of the session. */
import type { Clock } from '@keelson/primitives'
import { z } from 'zod'
import { ApiError, valueError } from '../http/api-error.ts'
import { sendEventStream } from '../http/event-stream.ts'
import { RATE_LIMITS } from '../http/rate-limits.ts'
import { type AnyRoute, defineRoute, type RouteInput } from '../http/route.ts'
import { message } from '../schemas/auth.ts'
import { ChatEvents, ChatRequest, ChatResponse, type Message } from '../schemas/chat.ts'
import { answerEvents, type EventPlace, parseEventId } from './chat-events.ts'
import type { ChatStore } from './chat-store.ts'
import type { ChatTurns } from './chat-turns.ts'
import type { StreamPlaces } from './stream-places.ts'
import { type AnswerSource, readAnswer, type Turn } from './turn.ts'

export interface ChatRouteDependencies {
  readonly turns: ChatTurns
  readonly store: Pick<ChatStore, 'list'>
  readonly places: StreamPlaces
  /** Whether the token of the request is still valid. */
  isTokenGood(authorization: string | undefined): Promise<boolean>
  readonly clock: Clock
}

const BASE = '/api/v1/chatbot'
/** The stream opens with the first text, so that an early failure has a status, or after this time. */
export const FIRST_WORD_MS = 10_000

export const TURN_HEADER = 'X-Chat-Turn'
const TURN_HEADERS = {
  [TURN_HEADER]: 'Number of the answer: `TURN-N` as Last-Event-ID goes on after its first N characters (UTF-16 units)',
}

const StreamQuery = z.strictObject({
  last_event_id: z.string().max(64).optional().describe('Resumes after this event; the header Last-Event-ID takes precedence'),
})

type StreamInput = Pick<RouteInput<'session', undefined, undefined, undefined>, 'caller' | 'request' | 'reply' | 'signal'>

export function createChatRoutes({ turns, store, places, isTokenGood, clock }: ChatRouteDependencies): readonly AnyRoute[] {
  const base = { tag: 'chat', auth: 'session', limit: RATE_LIMITS.chat, verbatim: true } as const

  async function stream(
    { caller, request, reply, signal }: StreamInput,
    withIds: boolean,
    find: () => Promise<readonly [AnswerSource, EventPlace]>,
  ) {
    const leave = places.take(caller.userId)
    if (leave === null)
      throw new ApiError(429, 'Rate limit exceeded: as many streams are open as may be', { headers: { 'retry-after': '5' } })
    try {
      const [source, place] = await find()
      const leaving = new AbortController()
      const parts = readAnswer(source, place.characters, AbortSignal.any([leaving.signal, signal]))
      const isGood = () => isTokenGood(request.headers.authorization)
      const bodyless = request.method === 'HEAD'
      reply.header(TURN_HEADER, String(place.turn))
      const events = answerEvents(parts, place, withIds)
      await sendEventStream(reply, events, { leaving, stopping: signal, isGood, clock, bodyless, plain: !withIds })
      return undefined as never
    } finally {
      leave()
    }
  }

  async function resume(sessionId: string, place: EventPlace): Promise<readonly [AnswerSource, EventPlace]> {
    const source = await turns.follow(sessionId, place.turn)
    const { text = '', over = true } = source?.state() ?? {}
    if (source === null || (over && place.characters > text.length)) throw new ApiError(404, 'This session has no such answer: ask again')
    return [source, place]
  }

  async function begin(caller: StreamInput['caller'], messages: readonly Message[]): Promise<readonly [AnswerSource, EventPlace]> {
    const { turn, ended } = await turns.begin(caller, messages, { streamed: true })
    await firstWord(turn)
    const { text, over } = turn.state()
    if (over && text === '') await ended
    return [turn, { turn: turn.number, characters: 0 }]
  }

  async function firstWord(turn: Turn): Promise<void> {
    const over = new AbortController()
    const enough = () => over.abort()
    clock.sleep(FIRST_WORD_MS, over.signal).then(enough, () => undefined)
    while (!over.signal.aborted && turn.state().text === '' && !turn.state().over) await turn.changed(over.signal)
    enough()
  }

  return [
    defineRoute({
      ...base,
      method: 'POST',
      path: `${BASE}/chat`,
      summary: 'Answers the last message',
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
      ...base,
      method: 'POST',
      path: `${BASE}/chat/stream`,
      summary: 'Answers the last message as server-sent events; with Last-Event-ID it resumes that answer instead',
      answerHeaders: TURN_HEADERS,
      timeout: 'stream',
      body: ChatRequest,
      answer: ChatEvents,
      answerType: 'text/event-stream',
      refusals: [400, 404],
      async handle({ body, ...input }) {
        const place = placeOf(input.request.headers['last-event-id'])
        if (place === null) assertQuestion(body.messages)
        return stream(input, false, () => (place === null ? begin(input.caller, body.messages) : resume(input.caller.sessionId, place)))
      },
    }),
    defineRoute({
      ...base,
      method: 'GET',
      path: `${BASE}/chat/stream`,
      summary: 'Resumes an answer after Last-Event-ID, with an id on each event; without it, streams the running answer from its beginning',
      answerHeaders: TURN_HEADERS,
      timeout: 'stream',
      query: StreamQuery,
      answer: ChatEvents,
      answerType: 'text/event-stream',
      refusals: [404],
      async handle({ query, ...input }) {
        const { sessionId } = input.caller
        const place = placeOf(input.request.headers['last-event-id'] ?? query.last_event_id)
        return stream(input, true, async () => {
          const turn = place?.turn ?? (await turns.running(sessionId))
          if (turn === null) throw new ApiError(404, 'Nothing is being answered in this session')
          return resume(sessionId, place ?? { turn, characters: 0 })
        })
      },
    }),
    defineRoute({
      ...base,
      method: 'GET',
      path: `${BASE}/messages`,
      summary: 'Messages of the session, oldest first',
      limit: RATE_LIMITS.read,
      answer: ChatResponse,
      handle: async ({ caller }) => ({ messages: [...(await store.list(caller.sessionId))] }),
    }),
    defineRoute({
      ...base,
      method: 'DELETE',
      path: `${BASE}/messages`,
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

/** Null without a header. Throws InvalidRequest for an invalid one. */
function placeOf(sent: string | readonly string[] | undefined): EventPlace | null {
  if (typeof sent !== 'string' || sent === '') return null
  const place = parseEventId(sent)
  if (place === null) throw valueError(['header', 'last-event-id'], 'expected the id of an event of this stream', sent)
  return place
}

function assertQuestion(messages: readonly Message[]): void {
  const last = messages.at(-1)
  if (last?.role !== 'user')
    throw valueError(['body', 'messages', messages.length - 1, 'role'], "the last message must be the user's", last?.role)
}
