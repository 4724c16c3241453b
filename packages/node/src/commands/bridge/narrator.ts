import type { ChainName } from '@keelson/client'
import type { Clock, Hash } from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'
import { sayIfInterrupted } from '../interrupt-notice.ts'

export interface Narrator {
  /** `state` is one word. Skips repeated lines. */
  say(state: string, text: string): void
  /** Reports a transaction, which an interrupt of this command does not stop. `next` says how to look or continue. */
  sent(chainName: ChainName, purpose: string, hash: Hash, next: string): void
  warn(text: string): void
  end(document: unknown): void
}

const STATE_WIDTH = 20

export function createNarrator(json: boolean): Narrator {
  let last = ''
  const say = (state: string, text: string) => {
    const line = `${state.padEnd(STATE_WIDTH)} ${text}`
    if (json || line === last) return
    last = line
    console.log(line)
  }
  return {
    say,
    sent(chainName, purpose, hash, next) {
      say('sent', `${purpose} ${hash} on ${chainName}`)
      sayIfInterrupted(`the ${purpose} ${hash} was sent to ${chainName} and continues without this command; ${next}`)
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

/** What to do after the deposit `hash`, or after the approval before it, was sent. */
export function nextAfterDeposit(purpose: string, hash: Hash): string {
  if (purpose === 'approval') return 'the deposit itself was not sent: run the command again'
  return `see how far it is with: ${asCalled(`bridge status ${hash}`)}`
}
