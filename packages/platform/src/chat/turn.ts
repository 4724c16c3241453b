export interface AnswerState {
  readonly text: string
  readonly over: boolean
  readonly failure: string | null
}

export interface AnswerSource {
  state(): AnswerState
  changed(signal: AbortSignal): Promise<void>
}

export class Turn implements AnswerSource {
  readonly sessionId: string
  readonly number: number
  readonly #cancelling = new AbortController()
  readonly #waiting = new Set<() => void>()
  #state: AnswerState = { text: '', over: false, failure: null }

  constructor(sessionId: string, number: number) {
    this.sessionId = sessionId
    this.number = number
  }

  get signal(): AbortSignal {
    return this.#cancelling.signal
  }

  state(): AnswerState {
    return this.#state
  }

  append(text: string): void {
    this.#set({ ...this.#state, text: this.#state.text + text })
  }

  end(failure: string | null): void {
    this.#set({ ...this.#state, over: true, failure })
  }

  cancel(reason: unknown): void {
    this.#cancelling.abort(reason)
  }

  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.#state.over || signal.aborted) return resolve()
      const wake = () => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
  }

  #set(state: AnswerState): void {
    this.#state = state
    for (const wake of [...this.#waiting]) wake()
  }
}
