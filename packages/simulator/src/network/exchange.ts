/** A request and its answer on a connection between machines. */
import { HttpClientError } from '@keelson/runtime'
import type { SimProcess } from '../core/sim-process.ts'
import type { Listener } from './listener.ts'
import type { SimulatedNetwork } from './simulated-network.ts'

export interface Exchange<T> {
  readonly machine: string
  /** The process that asks. */
  readonly process: SimProcess
  /** The machine and port that are asked, as in a URL. */
  readonly host: string
  /** What the trace and the link get to see. */
  readonly content: string | Uint8Array
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** The handler of requests; undefined if there is none. */
  readonly server: Listener | undefined
  /** Runs in the process that answers. */
  answer(): Promise<T>
  contentOf(answer: T): string | Uint8Array
}

/**
 * Throws HttpClientError. A frozen process answers late. The machine of a killed process refuses connections and resets those that
 * are open. A listener that is closed refuses them too, and answers what it has taken. A machine without power and a cut link are silent.
 */
export function exchange<T>(network: SimulatedNetwork, parts: Exchange<T>): Promise<T> {
  const { machine, process, host, content, timeoutMs, signal, server } = parts
  const asked = machineOf(host)
  return new Promise((resolve, reject) => {
    let over = false
    let forgetServer = (): void => undefined
    network.countOpen(process, 1)
    const end = (settle: () => void) => {
      if (over) return
      over = true
      network.countOpen(process, -1)
      cancelTimeout()
      signal?.removeEventListener('abort', onAbort)
      forgetServer()
      settle()
    }
    const fail = (reason: HttpClientError['reason'], message: string) => end(() => reject(new HttpClientError(reason, message)))
    const onAbort = () => fail('aborted', `the request to ${host} was aborted`)
    const cancelTimeout = process.after(timeoutMs, 'request timeout', () =>
      fail('timeout', `no answer from ${host} within ${timeoutMs} ms`),
    )
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) return onAbort()
    const refuse = (code: 'ECONNREFUSED' | 'ECONNRESET') =>
      network.segment(asked, machine, process, code, () => fail('unreachable', `${host} cannot be reached (${code})`))
    if (server === undefined || !server.accepts) {
      network.segment(machine, asked, process, content, () => refuse('ECONNREFUSED'))
      return
    }
    forgetServer = server.process.onKill(() => {
      if (network.hasPower(asked)) refuse('ECONNRESET')
    })
    network.segment(machine, asked, server.process, content, () => {
      if (!server.accepts) return refuse('ECONNRESET')
      void server
        .answer(() => parts.answer())
        .then((answer) => {
          // The answer travels before the end of the connection.
          forgetServer()
          network.segment(asked, machine, process, parts.contentOf(answer), () => end(() => resolve(answer)))
        })
    })
  })
}

function machineOf(host: string): string {
  return host.slice(0, host.lastIndexOf(':'))
}
