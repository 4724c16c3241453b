/** HTTP between machines, under the production client of JSON-RPC and over its production server without sockets. */
import { type Answerer, type HttpClient, HttpClientError, type HttpRequest, type HttpResponse, parseRequest } from '@keelson/runtime'
import type { SimProcess } from '../core/sim-process.ts'
import { exchange } from './exchange.ts'
import { Listener } from './listener.ts'
import type { SimulatedNetwork } from './simulated-network.ts'

const OK = 200
const TOO_MANY_REQUESTS = 429

interface Service {
  readonly listener: Listener
  readonly answer: Answerer
}

export class SimulatedHttp {
  readonly #network: SimulatedNetwork
  readonly #services = new Map<string, Service>()
  readonly #limits = new Map<string, () => boolean>()

  constructor(network: SimulatedNetwork) {
    this.#network = network
  }

  /** `host` is a machine and a port, as in a URL. */
  serve(host: string, process: SimProcess, answer: Answerer): Listener {
    const listener = new Listener(process)
    this.#services.set(host, { listener, answer })
    return listener
  }

  /** While `isExceeded` returns true, requests are answered with status 429. */
  limit(host: string, isExceeded: () => boolean): void {
    this.#limits.set(host, isExceeded)
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
    const { status, bytes } = await exchange(this.#network, {
      ...{ machine, process, host, timeoutMs, signal, content: body },
      server: service?.listener,
      answer: async () => {
        if (this.#limits.get(host)?.() === true) return { status: TOO_MANY_REQUESTS, bytes: new Uint8Array(0) }
        const text = await service?.answer(parseRequest(body), { signal: new AbortController().signal, transport: 'http' })
        return { status: OK, bytes: new TextEncoder().encode(text ?? '') }
      },
      contentOf: (answer) => answer.bytes,
    })
    if (bytes.length <= maxResponseBytes) return { status, headers: status === OK ? {} : { 'retry-after': '1' }, body: bytes }
    throw new HttpClientError('too-large', `the response of ${host} is larger than ${maxResponseBytes} bytes`)
  }
}
