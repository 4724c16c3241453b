import type { Clock } from '@keelson/primitives'
import { ApiError, valueError } from '../http/api-error.ts'
import { sendEventStream } from '../http/event-stream.ts'
import type { RouteInput, SessionCaller } from '../http/route.ts'
import { Places } from '../places.ts'
import type { Message } from '../schemas/chat.ts'
import { answerEvents, type EventPlace, parseEventId } from './chat-events.ts'
import type { ChatStore } from './chat-store.ts'
import type { ChatTurns } from './chat-turns.ts'
import type { AnswerSource, Turn } from './turn.ts'

export interface ChatStreamsDependencies {
  readonly turns: ChatTurns
  readonly store: ChatStore
  isTokenGood(authorization: string | undefined): Promise<boolean>
  readonly clock: Clock
}

export type StreamInput = Pick<RouteInput<'session', undefined, undefined, undefined>, 'caller' | 'request' | 'reply' | 'signal'>
type Found = readonly [AnswerSource, EventPlace]

/** Maximum wait for the first text, so that an early failure gets an HTTP error status. */
export const FIRST_WORD_MS = 10_000
export const TURN_HEADER = 'X-Chat-Turn'
const LIMITS = { user: 10, all: 1_000 }

export class ChatStreams {
  readonly #deps: ChatStreamsDependencies
  readonly #places = new Places(LIMITS)

  constructor(deps: ChatStreamsDependencies) {
    this.#deps = deps
  }

  get open(): number {
    return this.#places.taken('all')
  }

  answer(input: StreamInput, messages: readonly Message[]): Promise<never> {
    return this.#stream(input, false, () => this.#begin(input.caller, messages))
  }

  resume(input: StreamInput, place: EventPlace, withIds: boolean): Promise<never> {
    return this.#stream(input, withIds, () => this.#find(input.caller.sessionId, place))
  }

  follow(input: StreamInput): Promise<never> {
    const { sessionId } = input.caller
    return this.#stream(input, true, async () => {
      const turn = await this.#deps.store.running(sessionId, this.#deps.clock.nowMs())
      if (turn === null) throw new ApiError(404, 'Nothing is being answered in this session')
      return this.#find(sessionId, { turn, characters: 0 })
    })
  }

  async #stream({ caller, request, reply, signal }: StreamInput, withIds: boolean, find: () => Promise<Found>): Promise<never> {
    const { isTokenGood, clock } = this.#deps
    const leave = this.#places.take({ all: '', user: caller.userId })
    if (typeof leave === 'string')
      throw new ApiError(429, 'Rate limit exceeded: as many streams are open as allowed', { headers: { 'retry-after': '5' } })
    try {
      const [source, place] = await find()
      const leaving = new AbortController()
      const isGood = () => isTokenGood(request.headers.authorization)
      reply.header(TURN_HEADER, String(place.turn))
      const events = answerEvents(source, place, withIds, AbortSignal.any([leaving.signal, signal]))
      const bodyless = request.method === 'HEAD'
      await sendEventStream(reply, events, { leaving, stopping: signal, isGood, clock, bodyless, plain: !withIds })
      return undefined as never
    } finally {
      leave()
    }
  }

  async #find(sessionId: string, place: EventPlace): Promise<Found> {
    const source = await this.#deps.turns.follow(sessionId, place.turn)
    const { text = '', over = true } = source?.state() ?? {}
    if (source === null || (over && place.characters > text.length)) throw new ApiError(404, 'This session has no such answer: ask again')
    return [source, place]
  }

  async #begin(caller: SessionCaller, messages: readonly Message[]): Promise<Found> {
    const { turn, ended } = await this.#deps.turns.begin(caller, messages, { streamed: true })
    await this.#firstWord(turn)
    const { text, over } = turn.state()
    if (over && text === '') await ended
    return [turn, { turn: turn.number, characters: 0 }]
  }

  async #firstWord(turn: Turn): Promise<void> {
    const over = new AbortController()
    const enough = () => over.abort()
    this.#deps.clock.sleep(FIRST_WORD_MS, over.signal).then(enough, () => undefined)
    while (!over.signal.aborted && turn.state().text === '' && !turn.state().over) await turn.changed(over.signal)
    enough()
  }
}

export function placeOf(sent: string | readonly string[] | undefined): EventPlace | null {
  if (typeof sent !== 'string' || sent === '') return null
  const place = parseEventId(sent)
  if (place === null) throw valueError(['header', 'last-event-id'], 'expected the id of an event of this stream', sent)
  return place
}
