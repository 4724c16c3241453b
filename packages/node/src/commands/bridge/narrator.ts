/** What a bridge command says: for people a line as things happen, for programs one document at the end. */
import type { Clock } from '@keelson/primitives'

export interface Narrator {
  /** A word that says how far it is, and the rest. The same line is said once. */
  say(state: string, text: string): void
  /** To standard error, for people and programs alike. */
  warn(text: string): void
  /** Ends the story; amounts become decimal text. */
  end(document: unknown): void
}

const STATE_WIDTH = 20

export function createNarrator(json: boolean): Narrator {
  let last = ''
  return {
    say(state, text) {
      const line = `${state.padEnd(STATE_WIDTH)} ${text}`
      if (json || line === last) return
      last = line
      console.log(line)
    },
    warn: (text) => console.error(`keelson: ${text}`),
    end(document) {
      if (json) console.log(JSON.stringify(document, (_, value) => (typeof value === 'bigint' ? value.toString() : value), 2))
    },
  }
}

/** Milliseconds between two lines about the same state. */
const PROGRESS_MS = 5_000

/** Reports the progress of a wait: one line per state, and one every five seconds while a state lasts. */
export function createProgress(narrator: Pick<Narrator, 'say'>, clock: Pick<Clock, 'nowMs'>): (state: string, text: string) => void {
  let said = { state: '', atMs: 0 }
  return (state, text) => {
    const nowMs = clock.nowMs()
    if (state === said.state && nowMs - said.atMs < PROGRESS_MS) return
    said = { state, atMs: nowMs }
    narrator.say(state, text)
  }
}
