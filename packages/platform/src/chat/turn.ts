/** An answer while it is being given. Readers take its text from where they are, at their own pace: it is kept once, however many read. */

export interface AnswerState {
  readonly text: string
  readonly over: boolean
  /** Why it ended before its end, for people; null while it has not, and when it is whole. */
  readonly failure: string | null
}

/** Something that gives an answer's text as far as it is known. */
export interface AnswerSource {
  state(): AnswerState
  /** Resolves when there may be more, or when aborted. */
  changed(signal: AbortSignal): Promise<void>
}

export interface Turn extends AnswerSource {
  readonly sessionId: string
  readonly userId: number
  /** Ordinal that the answer has in the history. */
  readonly number: number
  readonly signal: AbortSignal
  append(text: string): void
  end(failure: string | null): void
  /** Asks whoever gives the answer to stop. */
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
  /** Characters of the answer up to its end. */
  readonly until: number
}

export interface AnswerEnd {
  readonly failure: string | null
}

/** What comes after the first `from` characters, then the end; when aborted it stops at what is known. A reader who is slow gets more at a time. */
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
