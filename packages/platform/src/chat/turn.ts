/** A running answer. The text is kept once, and each reader follows at its own pace. */

export interface AnswerState {
  readonly text: string
  readonly over: boolean
  /** Why it ended early, for display; null otherwise. */
  readonly failure: string | null
}

/** A source of an answer's text so far. */
export interface AnswerSource {
  state(): AnswerState
  /** Resolves when there may be more text, or on abort. */
  changed(signal: AbortSignal): Promise<void>
}

export interface Turn extends AnswerSource {
  readonly sessionId: string
  readonly userId: number
  /** Ordinal of the answer in the history. */
  readonly number: number
  readonly signal: AbortSignal
  append(text: string): void
  end(failure: string | null): void
  /** Stops the agent. */
  cancel(reason: unknown): void
}

export function createTurn(sessionId: string, userId: number, number: number): Turn {
  const cancelling = new AbortController()
  const waiting = new Set<() => void>()
  let state: AnswerState = { text: '', over: false, failure: null }
  const set = (next: AnswerState) => {
    state = next
    for (const wake of [...waiting]) wake()
  }
  return {
    ...{ sessionId, userId, number },
    signal: cancelling.signal,
    state: () => state,
    append: (text) => set({ ...state, text: state.text + text }),
    end: (failure) => set({ ...state, over: true, failure }),
    cancel: (reason) => cancelling.abort(reason),
    changed: (signal) =>
      new Promise((resolve) => {
        if (state.over || signal.aborted) return resolve()
        const wake = () => {
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        signal.addEventListener('abort', wake, { once: true })
      }),
  }
}

export interface AnswerFragment {
  readonly content: string
  /** Length of the answer so far. */
  readonly until: number
}

export interface AnswerEnd {
  readonly failure: string | null
}

/** The text after the first `from` characters, until the end or an abort. A slow reader gets larger pieces. */
export async function* readAnswer(source: AnswerSource, from: number, signal: AbortSignal): AsyncGenerator<AnswerFragment | AnswerEnd> {
  let at = from
  for (;;) {
    const { text, over, failure } = source.state()
    if (text.length > at) {
      yield { content: text.slice(at), until: text.length }
      at = text.length
    } else if (over) {
      yield { failure }
      return
    } else if (signal.aborted) return
    else await source.changed(signal)
  }
}
