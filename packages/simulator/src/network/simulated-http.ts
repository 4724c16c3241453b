/** HTTP between machines, under the production client of JSON-RPC and over its production server without sockets. */
import { type Answerer, type HttpClient, HttpClientError, type HttpRequest, type HttpResponse } from '@keelson/runtime'
import type { SimProcess } from '../core/sim-process.ts'
import { exchange } from './exchange.ts'
import type { SimulatedNetwork } from './simulated-network.ts'

interface Service {
  readonly process: SimProcess
  readonly answer: Answerer
}

export class SimulatedHttp {
  readonly #network: SimulatedNetwork
  readonly #services = new Map<string, Service>()

  constructor(network: SimulatedNetwork) {
    this.#network = network
  }

  /** `host` is a machine and a port, as in a URL. */
  serve(host: string, process: SimProcess, answer: Answerer): void {
    this.#services.set(host, { process, answer })
  }

  client(machine: string, process: SimProcess): HttpClient {
    return { send: (request) => this.#send(request, machine, process), close: () => undefined }
  }

  async #send(
    { url, body = '', timeoutMs, signal, maxResponseBytes }: HttpRequest,
    machine: string,
    process: SimProcess,
  ): Promise<HttpResponse> {
    const { host } = new URL(url)
    const service = this.#services.get(host)
    const answer = await exchange(this.#network, {
      ...{ machine, process, host, timeoutMs, signal, content: body },
      server: service?.process,
      async answer() {
        const text = await service?.answer(JSON.parse(body), { signal: new AbortController().signal, transport: 'http' })
        return new TextEncoder().encode(text ?? '')
      },
      contentOf: (bytes) => bytes,
    })
    if (answer.length <= maxResponseBytes) return { status: 200, headers: {}, body: answer }
    throw new HttpClientError('too-large', `the response of ${host} is larger than ${maxResponseBytes} bytes`)
  }
}
