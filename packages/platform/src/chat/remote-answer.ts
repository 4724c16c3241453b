import type { Clock } from '@keelson/primitives'
import type { ChatStore } from './chat-store.ts'
import type { AnswerSource, AnswerState } from './turn.ts'
import type { TurnHandover } from './turn-handover.ts'

const ASK_MS = 250
const STORE_EVERY = 4
const MAX_FAILURES = 20

export const INTERRUPTED = 'The answer was interrupted: ask again'

export function createRemoteAnswer(
  { sessionId, turn }: { readonly sessionId: string; readonly turn: number },
  { store, handover, clock }: { readonly store: ChatStore; readonly handover: TurnHandover; readonly clock: Clock },
): AnswerSource {
  let state: AnswerState = { text: '', over: false, failure: null }
  let asked = 0
  let failures = 0
  const look = async () => {
    const known = await handover.read(sessionId, turn)
    if (known !== null && known.length > state.text.length) state = { ...state, text: known }
    if (asked++ % STORE_EVERY !== 0) return
    const record = await store.find(sessionId, turn, clock.nowMs()).catch(() => null)
    failures = record === null ? failures + 1 : 0
    if (record === null && failures < MAX_FAILURES) return
    if (record === null) state = { ...state, over: true, failure: INTERRUPTED }
    else if (record.state === 'stored') state = { text: record.content, over: true, failure: record.failure }
    else if (record.state === 'none') state = { ...state, over: true, failure: INTERRUPTED }
  }
  return {
    state: () => state,
    async changed(signal) {
      if (asked > 0) await clock.sleep(ASK_MS, signal).catch(() => undefined)
      if (!signal.aborted) await look()
    },
  }
}

export function storedAnswer(text: string, failure: string | null): AnswerSource {
  return { state: () => ({ text, over: true, failure }), changed: async () => undefined }
}
