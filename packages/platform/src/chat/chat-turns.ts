import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { ApiError, unauthorized } from '../http/api-error.ts'
import { failureFacts } from '../http/failure-facts.ts'
import { SourceError } from '../market/source-error.ts'
import { Places } from '../places.ts'
import type { Message } from '../schemas/chat.ts'
import type { ToolCaller } from '../tools/tool.ts'
import { AnswerLimit } from './answer-limit.ts'
import type { ChatAgent } from './chat-agent.ts'
import { type ChatStore, TURN_LEASE_MS } from './chat-store.ts'
import { createRemoteAnswer, storedAnswer } from './remote-answer.ts'
import { type AnswerSource, Turn } from './turn.ts'
import { type TurnFailure, turnFailure } from './turn-failure.ts'
import type { TurnHandover } from './turn-handover.ts'
import { untilAborted } from './until-aborted.ts'

export interface StartedTurn {
  readonly turn: Turn
  readonly ended: Promise<void>
}

export interface ChatTurnsDependencies {
  readonly agent: ChatAgent
  readonly store: ChatStore
  readonly handover: TurnHandover
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics | undefined
}

export const SILENCE_MS = 300_000
const MAX_TURN_MS = 600_000
const LIMITS = { user: 10, all: 500 }
const STORE_ATTEMPTS = 3
const STORE_RETRY_MS = 1_000
const ENDED = 'the turn has ended'
const RETRY_SOON = { headers: { 'retry-after': '1' } }
const REFUSALS = {
  user: () => new ApiError(429, `Rate limit exceeded: a user is given ${LIMITS.user} answers at once`, RETRY_SOON),
  all: () => new ApiError(503, 'Too many questions are being answered: try again in a moment', RETRY_SOON),
  busy: () => new ApiError(429, 'This session is still being answered: send the next message when that answer is complete', RETRY_SOON),
  'no-session': () => unauthorized('Invalid or expired token: log in again'),
  cleared: () => new ApiError(400, 'The messages of the session were deleted while it was being answered'),
  stopping: () => new ApiError(503, 'The server is stopping: try again in a moment', RETRY_SOON),
}

export class ChatTurns {
  readonly #deps: ChatTurnsDependencies
  readonly #running = new Map<string, StartedTurn>()
  readonly #places = new Places(LIMITS)
  readonly #count: (outcome: string, tookMs: number) => void
  #isStopped = false

  constructor(deps: ChatTurnsDependencies) {
    this.#deps = deps
    const turns = deps.metrics?.counter('chat_turns_total', 'Answers by how they ended', ['outcome'])
    const seconds = deps.metrics?.histogram('chat_turn_seconds', 'Time to a whole answer')
    deps.metrics?.gauge('chat_turns_under_way', 'Answers in progress', [], () => this.#running.size)
    this.#count = (outcome, tookMs) => {
      turns?.inc(1, { outcome })
      seconds?.observe(tookMs / 1000)
    }
  }

  /** Throws ApiError 401 for a deleted session, 429 or 503 over a limit. */
  async begin(caller: ToolCaller, sent: readonly Message[], { streamed }: { readonly streamed: boolean }): Promise<StartedTurn> {
    if (this.#isStopped) throw REFUSALS.stopping()
    const leave = this.#places.take({ all: '', user: caller.userId })
    if (typeof leave === 'string') throw REFUSALS[leave]()
    try {
      const begun = await this.#deps.store.begin(caller.sessionId, sent, this.#deps.clock.nowMs())
      if (typeof begun === 'string') throw REFUSALS[begun]()
      const turn = new Turn(caller.sessionId, begun.turn)
      const key = keyOf(caller.sessionId, begun.turn)
      if (this.#isStopped) turn.cancel(REFUSALS.stopping())
      const ended = this.#answer(turn, caller, begun.context, streamed).finally(() => {
        this.#running.delete(key)
        leave()
      })
      ended.catch(() => undefined)
      const started = { turn, ended }
      this.#running.set(key, started)
      return started
    } catch (error) {
      leave()
      throw error
    }
  }

  async follow(sessionId: string, number: number): Promise<AnswerSource | null> {
    const here = this.#running.get(keyOf(sessionId, number))
    if (here !== undefined) return here.turn
    const record = await this.#deps.store.find(sessionId, number, this.#deps.clock.nowMs())
    if (record.state === 'stored') return storedAnswer(record.content, record.failure)
    return record.state === 'none' ? null : createRemoteAnswer({ sessionId, turn: number }, this.#deps)
  }

  async clear(sessionId: string): Promise<void> {
    await this.#deps.store.clear(sessionId)
    this.#cancel(sessionId, REFUSALS.cleared())
  }

  drop(sessionId: string): void {
    this.#cancel(sessionId, REFUSALS['no-session']())
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    const all = [...this.#running.values()]
    for (const { turn } of all) turn.cancel(REFUSALS.stopping())
    await Promise.allSettled(all.map(({ ended }) => ended))
  }

  #cancel(sessionId: string, reason: ApiError): void {
    for (const { turn } of this.#running.values()) if (turn.sessionId === sessionId) turn.cancel(reason)
  }

  async #answer(turn: Turn, caller: ToolCaller, context: readonly Message[], keepPartial: boolean): Promise<void> {
    const { agent, clock, log } = this.#deps
    const begunMs = clock.monotonicMs()
    const watching = new AbortController()
    const activity = { atMs: begunMs }
    void this.#watch(turn, activity, watching.signal)
    const failure = await this.#speak(turn, caller, context, activity).then(() => null, turnFailure)
    watching.abort(ENDED)
    const { text } = turn.state()
    const kept = text.trim() !== '' && (failure === null || keepPartial) ? text : null
    const problem = (await this.#store(turn, kept, failure?.detail ?? null)) ?? failure
    turn.end(problem?.detail ?? null)
    const tookMs = clock.monotonicMs() - begunMs
    const outcome = problem?.outcome ?? 'answered'
    this.#count(outcome, tookMs)
    log.debug('turn ended', { outcome, agent: agent.name, characters: text.length, tookMs: Math.round(tookMs) })
    if (problem === null) return
    if (problem.outcome === 'unforeseen') log.error('an answer failed', { agent: agent.name, ...failureFacts(problem.error) })
    throw problem.error
  }

  async #speak(turn: Turn, caller: ToolCaller, messages: readonly Message[], activity: { atMs: number }): Promise<void> {
    const { agent, handover, clock } = this.#deps
    const limit = new AnswerLimit()
    const say = (text: string) => {
      if (text === '') return
      turn.append(text)
      handover.publish(turn.sessionId, turn.number, turn.state().text)
    }
    for await (const fragment of untilAborted(agent.answer({ caller, messages, signal: turn.signal }), turn.signal)) {
      activity.atMs = clock.monotonicMs()
      say(limit.push(fragment))
      if (limit.full) break
    }
    say(limit.end())
    if (turn.state().text.trim() === '') throw new SourceError(agent.name, 'bad-answer', 'it gave no answer')
  }

  async #watch(turn: Turn, activity: { readonly atMs: number }, over: AbortSignal): Promise<void> {
    const { agent, store, clock } = this.#deps
    const untilMs = clock.monotonicMs() + MAX_TURN_MS
    while (!over.aborted) {
      await clock.sleep(TURN_LEASE_MS / 3, over).catch(() => undefined)
      if (over.aborted) return
      const nowMs = clock.monotonicMs()
      if (nowMs - activity.atMs >= SILENCE_MS || nowMs >= untilMs)
        turn.cancel(new SourceError(agent.name, 'timeout', 'it took too long to answer'))
      const isKept = await store.renew(turn.sessionId, turn.number, clock.nowMs()).catch(() => true)
      if (!isKept && !over.aborted) turn.cancel(REFUSALS.cleared())
    }
  }

  async #store(turn: Turn, text: string | null, why: string | null): Promise<TurnFailure | null> {
    const { store, clock } = this.#deps
    for (let attempt = 1; ; attempt++) {
      try {
        const isStored = await store.finish(turn.sessionId, turn.number, text, why, clock.nowMs())
        return isStored || why !== null ? null : turnFailure(REFUSALS.cleared())
      } catch (error) {
        if (attempt === STORE_ATTEMPTS || this.#isStopped) return turnFailure(error)
        await clock.sleep(STORE_RETRY_MS)
      }
    }
  }
}

function keyOf(sessionId: string, turn: number): string {
  return `${sessionId}:${turn}`
}
