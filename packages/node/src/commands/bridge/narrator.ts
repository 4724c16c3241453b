import type { Clock } from '@keelson/primitives'

export interface Narrator {
  /** `state` is one word. Skips repeated lines. */
  say(state: string, text: string): void
  warn(text: string): void
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

const PROGRESS_MS = 5_000

/** Reports each state once, and again every five seconds. */
export function createProgress(narrator: Pick<Narrator, 'say'>, clock: Pick<Clock, 'nowMs'>): (state: string, text: string) => void {
  let said = { state: '', atMs: 0 }
  return (state, text) => {
    const nowMs = clock.nowMs()
    if (state === said.state && nowMs - said.atMs < PROGRESS_MS) return
    said = { state, atMs: nowMs }
    narrator.say(state, text)
  }
}
