/** Calls between processes without JSON: they take the links, delays and failures of requests, and pass objects. */
import { DEFAULT_RETRY, responseError, retrying, transportError } from '@keelson/client'
import { EngineApiError } from '@keelson/primitives'
import { HttpClientError, toRpcError } from '@keelson/runtime'
import type { SimProcess } from '../core/sim-process.ts'
import { exchange } from './exchange.ts'
import { Listener } from './listener.ts'
import type { SimulatedNetwork } from './simulated-network.ts'

interface Offer {
  readonly listener: Listener
  readonly port: unknown
}

export interface Caller {
  readonly machine: string
  readonly process: SimProcess
}

export interface PortCall<P, T> {
  /** The method, for the trace. */
  readonly what: string
  readonly timeoutMs: number
  readonly retry: boolean
  run(port: P): Promise<T>
  /** What the answer adds to the trace: equal for equal answers. */
  contentOf(answer: T): string
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown }

export class SimulatedPorts {
  readonly #network: SimulatedNetwork
  readonly #offers = new Map<string, Offer>()

  constructor(network: SimulatedNetwork) {
    this.#network = network
  }

  /** `host` is a machine and a port, as in a URL. */
  offer(host: string, process: SimProcess, port: unknown): Listener {
    const listener = new Listener(process)
    this.#offers.set(host, { listener, port })
    return listener
  }

  /** Throws the errors that the production client throws for a request that fails in the same way. */
  call<P, T>(caller: Caller, host: string, call: PortCall<P, T>): Promise<T> {
    const once = () => this.#once(caller, host, call)
    const { clock, random } = caller.process
    return call.retry ? retrying(once, DEFAULT_RETRY, { clock, random }) : once()
  }

  async #once<P, T>({ machine, process }: Caller, host: string, { what, timeoutMs, run, contentOf }: PortCall<P, T>): Promise<T> {
    const offer = this.#offers.get(host)
    try {
      const outcome = await exchange<Outcome<T>>(this.#network, {
        ...{ machine, process, host, timeoutMs, content: what },
        server: offer?.listener,
        answer: () => settle(() => run(offer?.port as P)),
        contentOf: (answer) => (answer.ok ? contentOf(answer.value) : String(answer.error)),
      })
      if (outcome.ok) return outcome.value
      throw answeredError(what, outcome.error)
    } catch (error) {
      throw error instanceof HttpClientError ? transportError(host, error) : error
    }
  }
}

async function settle<T>(run: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await run() }
  } catch (error) {
    return { ok: false, error }
  }
}

/** As the production server and client turn an error into a response and back. */
function answeredError(what: string, error: unknown): unknown {
  if (error instanceof EngineApiError) return error
  const { number, message } = toRpcError(error)
  return responseError(what, { code: number, message })
}
