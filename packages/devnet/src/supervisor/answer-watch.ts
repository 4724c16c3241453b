/** Reports first answers of services, and of any role after a restart. */
import { connect } from 'node:net'
import type { Clock } from '@keelson/primitives'
import type { RoleSpec } from './role-process.ts'

export interface AnswerWatchDependencies {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly say: (text: string) => void
  readonly answers?: (url: string) => Promise<boolean>
}

export interface AnswerWatch {
  /** Resolves when the role answers or starts again. */
  began(role: Pick<RoleSpec, 'name' | 'answersAt' | 'afterChain'>): Promise<void>
}

const POLL_MS = 250

export function createAnswerWatch({ clock, signal, say, answers = listens }: AnswerWatchDependencies): AnswerWatch {
  const starts = new Map<string, number>()
  return {
    async began({ name, answersAt, afterChain }) {
      const start = (starts.get(name) ?? 0) + 1
      starts.set(name, start)
      if (answersAt === undefined || (start === 1 && afterChain !== true)) return
      const sinceMs = clock.nowMs()
      const isOver = () => signal.aborted || starts.get(name) !== start
      while (!(await answers(answersAt))) {
        await clock.sleep(POLL_MS, signal).catch(() => undefined)
        if (isOver()) return
      }
      if (isOver()) return
      say(start === 1 ? `${name} answers at ${answersAt} after ${((clock.nowMs() - sinceMs) / 1000).toFixed(1)} s` : `${name} is back`)
    },
  }
}

function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}
