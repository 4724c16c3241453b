/** HTTP between machines, under the production client of JSON-RPC and over its production server without sockets. */
import { type Answerer, type HttpClient, HttpClientError, type HttpRequest, type HttpResponse } from '@keelson/runtime'
import type { SimProcess } from '../core/sim-process.ts'
import type { SimulatedNetwork } from './simulated-network.ts'

interface Service {
  readonly process: SimProcess
  readonly answer: Answerer
}

export class SimulatedHttp {
  readonly #network: SimulatedNetwork
  readonly #services = new Map<string, Service>()
  readonly #open = new Map<SimProcess, number>()

  constructor(network: SimulatedNetwork) {
    this.#network = network
  }

  /** The most requests that one process waits for. */
  get mostOpen(): number {
    for (const process of this.#open.keys()) if (!process.alive) this.#open.delete(process)
    return Math.max(0, ...this.#open.values())
  }

  /** `host` is a machine and a port, as in a URL. */
  serve(host: string, process: SimProcess, answer: Answerer): void {
    this.#services.set(host, { process, answer })
  }

  client(machine: string, process: SimProcess): HttpClient {
    return { send: (request) => this.#send(request, machine, process), close: () => undefined }
  }

  #send(request: HttpRequest, machine: string, process: SimProcess): Promise<HttpResponse> {
    const { host, hostname } = new URL(request.url)
    const body = request.body ?? ''
    return new Promise((resolve, reject) => {
      let over = false
      this.#countOpen(process, 1)
      const end = (settle: () => void) => {
        if (over) return
        over = true
        this.#countOpen(process, -1)
        cancelTimeout()
        request.signal?.removeEventListener('abort', onAbort)
        settle()
      }
      const fail = (reason: HttpClientError['reason'], message: string) => end(() => reject(new HttpClientError(reason, message)))
      const onAbort = () => fail('aborted', `the request to ${host} was aborted`)
      const cancelTimeout = process.after(request.timeoutMs, 'request timeout', () =>
        fail('timeout', `no answer from ${host} within ${request.timeoutMs} ms`),
      )
      request.signal?.addEventListener('abort', onAbort, { once: true })
      if (request.signal?.aborted) return onAbort()
      const service = this.#services.get(host)
      if (service === undefined || !service.process.alive) {
        this.#network.segment(machine, hostname, process, body, () => fail('unreachable', `${host} cannot be reached (ECONNREFUSED)`))
        return
      }
      this.#network.segment(machine, hostname, service.process, body, () => {
        void service.answer(JSON.parse(body), { signal: new AbortController().signal, transport: 'http' }).then((text) => {
          const answer = new TextEncoder().encode(text ?? '')
          this.#network.segment(hostname, machine, process, answer, () => {
            if (answer.length > request.maxResponseBytes)
              fail('too-large', `the response of ${host} is larger than ${request.maxResponseBytes} bytes`)
            else end(() => resolve({ status: 200, headers: {}, body: answer }))
          })
        })
      })
    })
  }

  #countOpen(process: SimProcess, change: number): void {
    this.#open.set(process, (this.#open.get(process) ?? 0) + change)
  }
}
