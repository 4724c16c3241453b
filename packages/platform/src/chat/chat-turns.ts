/**
 * Runs turns. A turn belongs to the server and not to its reader: the question is stored before the answer starts, the
 * answer when it ends, and readers may leave and resume.
 */
import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { ApiError, unauthorized } from '../http/api-error.ts'
import { failureFacts } from '../http/failure-facts.ts'
import { SourceError } from '../market/source-error.ts'
import type { Message } from '../schemas/chat.ts'
import type { ToolCaller } from '../tools/tool.ts'
import { createAnswerLimit } from './answer-limit.ts'
import type { ChatAgent } from './chat-agent.ts'
import { type ChatStore, TURN_LEASE_MS } from './chat-store.ts'
import { createRemoteAnswer, storedAnswer } from './remote-answer.ts'
import { type AnswerSource, createTurn, type Turn } from './turn.ts'
import { type TurnFailure, turnFailure } from './turn-failure.ts'
import type { TurnHandover } from './turn-handover.ts'
import { untilAborted } from './until-aborted.ts'

export interface StartedTurn {
  readonly turn: Turn
  /** Resolves when the whole answer is stored; rejects otherwise. */
  readonly ended: Promise<void>
}

export interface ChatTurns {
  /**
   * Throws ApiError 401 for a deleted session, 429 while a turn runs, 503 with too many turns. A partial answer is kept
   * when it was streamed.
   */
  begin(caller: ToolCaller, sent: readonly Message[], options: { readonly streamed: boolean }): Promise<StartedTurn>
  /** A running or stored answer; null for an unknown number. */
  follow(sessionId: string, turn: number): Promise<AnswerSource | null>
  /** Number of the running turn on any server; null without one. */
  running(sessionId: string): Promise<number | null>
  clear(sessionId: string): Promise<void>
  /** Ends the turns of a deleted session on this server. */
  drop(sessionId: string): void
  /** Ends all turns and accepts no more; resolves when their text is stored. */
  stop(): Promise<void>
}

export interface ChatTurnsDependencies {
  readonly agent: ChatAgent
  readonly store: ChatStore
  readonly handover: TurnHandover
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

/** Maximum silence of the agent. */
export const SILENCE_MS = 300_000
const MAX_TURN_MS = 600_000
const MAX_TURNS = 500
export const MAX_TURNS_OF_USER = 10
const STORE_ATTEMPTS = 3
const STORE_RETRY_MS = 1_000
const RETRY_SOON = { headers: { 'retry-after': '1' } }

const busy = () =>
  new ApiError(429, 'This session is still being answered, one message at a time: send the next when that answer is complete', RETRY_SOON)
const gone = () => unauthorized('Invalid or expired token: log in again')
const cleared = () => new ApiError(400, 'The messages of the session were deleted while it was being answered')
const stopping = () => new ApiError(503, 'The server is stopping: try again in a moment', RETRY_SOON)

export function createChatTurns({ agent, store, handover, clock, log, metrics }: ChatTurnsDependencies): ChatTurns {
  const running = new Map<string, StartedTurn>()
  const placesOfUser = new Map<number, number>()
  let places = 0
  let stopped = false
  const turns = metrics?.counter('chat_turns_total', 'Answers by how they ended', ['outcome'])
  const seconds = metrics?.histogram('chat_turn_seconds', 'Time to a whole answer')
  metrics?.gauge('chat_turns_under_way', 'Answers that are being given', [], () => running.size)

  const keyOf = (sessionId: string, turn: number) => `${sessionId}:${turn}`
  const ofSession = (sessionId: string) => [...running.values()].filter(({ turn }) => turn.sessionId === sessionId)

  function takePlace(userId: number): () => void {
    if (stopped) throw stopping()
    const own = placesOfUser.get(userId) ?? 0
    if (own >= MAX_TURNS_OF_USER) throw new ApiError(429, `Rate limit exceeded: a user is given ${own} answers at once`, RETRY_SOON)
    if (places >= MAX_TURNS) throw new ApiError(503, 'Too many questions are being answered: try again in a moment', RETRY_SOON)
    placesOfUser.set(userId, own + 1)
    places++
    return () => {
      places--
      const left = (placesOfUser.get(userId) ?? 1) - 1
      if (left === 0) placesOfUser.delete(userId)
      else placesOfUser.set(userId, left)
    }
  }

  async function answer(turn: Turn, caller: ToolCaller, context: readonly Message[], keepPartial: boolean): Promise<void> {
    const begunMs = clock.monotonicMs()
    const watching = new AbortController()
    const activity = { atMs: begunMs }
    void watch(turn, activity, watching.signal)
    const failure = await speak(turn, caller, context, activity).then(() => null, turnFailure)
    watching.abort()
    const { text } = turn.state()
    const kept = text.trim() !== '' && (failure === null || keepPartial) ? text : null
    const problem = (await storeAnswer(turn, kept, failure?.detail ?? null)) ?? failure
    turn.end(problem?.detail ?? null)
    const tookMs = clock.monotonicMs() - begunMs
    const outcome = problem?.outcome ?? 'answered'
    turns?.inc(1, { outcome })
    seconds?.observe(tookMs / 1000)
    log.debug('a turn ended', { outcome, agent: agent.name, characters: text.length, tookMs: Math.round(tookMs) })
    if (problem === null) return
    if (problem.outcome === 'unforeseen') log.error('an answer failed', { agent: agent.name, ...failureFacts(problem.error) })
    throw problem.error
  }

  async function speak(turn: Turn, caller: ToolCaller, messages: readonly Message[], activity: { atMs: number }): Promise<void> {
    const limit = createAnswerLimit()
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

  /** Renews the lease, and ends a silent turn. */
  async function watch(turn: Turn, activity: { readonly atMs: number }, over: AbortSignal): Promise<void> {
    const untilMs = clock.monotonicMs() + MAX_TURN_MS
    while (!over.aborted) {
      await clock.sleep(TURN_LEASE_MS / 3, over).catch(() => undefined)
      if (over.aborted) return
      const nowMs = clock.monotonicMs()
      if (nowMs - activity.atMs >= SILENCE_MS || nowMs >= untilMs)
        turn.cancel(new SourceError(agent.name, 'timeout', 'it took too long to answer'))
      // without the database the lease holds until it expires
      const kept = await store.renew(turn.sessionId, turn.number, clock.nowMs()).catch(() => true)
      if (!kept && !over.aborted) turn.cancel(cleared())
    }
  }

  /** Null for a completely stored answer. */
  async function storeAnswer(turn: Turn, text: string | null, why: string | null): Promise<TurnFailure | null> {
    for (let attempt = 1; ; attempt++) {
      try {
        const stored = await store.finish(turn.sessionId, turn.number, text, why, clock.nowMs())
        return stored || why !== null ? null : turnFailure(cleared())
      } catch (error) {
        if (attempt === STORE_ATTEMPTS || stopped) return turnFailure(error)
        await clock.sleep(STORE_RETRY_MS)
      }
    }
  }

  return {
    async begin(caller, sent, { streamed }) {
      const givePlaceBack = takePlace(caller.userId)
      try {
        const begun = await store.begin(caller.sessionId, sent, clock.nowMs())
        if (begun === 'busy') throw busy()
        if (begun === 'no-session') throw gone()
        const turn = createTurn(caller.sessionId, caller.userId, begun.turn)
        const key = keyOf(caller.sessionId, begun.turn)
        if (stopped) turn.cancel(stopping())
        const ended = answer(turn, caller, begun.context, streamed).finally(() => {
          running.delete(key)
          givePlaceBack()
        })
        // callers that wait for it receive the failure
        ended.catch(() => undefined)
        const started = { turn, ended }
        running.set(key, started)
        return started
      } catch (error) {
        givePlaceBack()
        throw error
      }
    },
    async follow(sessionId, turn) {
      const here = running.get(keyOf(sessionId, turn))
      if (here !== undefined) return here.turn
      const record = await store.find(sessionId, turn, clock.nowMs())
      if (record.state === 'stored') return storedAnswer(record.content, record.failure)
      return record.state === 'none' ? null : createRemoteAnswer({ sessionId, turn }, { store, handover, clock })
    },
    running: (sessionId) => store.running(sessionId, clock.nowMs()),
    async clear(sessionId) {
      await store.clear(sessionId)
      for (const { turn } of ofSession(sessionId)) turn.cancel(cleared())
    },
    drop(sessionId) {
      for (const { turn } of ofSession(sessionId)) turn.cancel(gone())
    },
    async stop() {
      stopped = true
      const all = [...running.values()]
      for (const { turn } of all) turn.cancel(stopping())
      await Promise.allSettled(all.map(({ ended }) => ended))
    },
  }
}
