/** A server of the pages before one service that answers as the test says. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMetrics, createSilentLogger, createSystemClock } from '@keelson/runtime'
import type { ConfigDocument } from '../shared/config-document.ts'
import { createWeb, type Web, type WebOptions } from './create-web.ts'
import { loadStaticFiles } from './files/static-files.ts'
import { createIncidentFile } from './network/incident-file.ts'

export const SCRIPT = `console.log('${'a'.repeat(2_000)}')`
const CONFIG = { name: 'test', captcha: null as ConfigDocument['captcha'] } as ConfigDocument
const ABIS = { functions: {}, errors: {}, events: {} }

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export class WebWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'keelson-web-'))
  readonly received: Received[] = []
  respond: (request: Received, response: ServerResponse) => void = (_request, response) =>
    response.setHeader('content-type', 'application/json').end('{"ok":true}')
  readonly #behind: Server
  readonly #running: Web[] = []

  static async open(): Promise<WebWorld> {
    const world = new WebWorld()
    await new Promise<void>((resolve) => world.#behind.listen(0, '127.0.0.1', resolve))
    return world
  }

  private constructor() {
    mkdirSync(join(this.folder, 'assets'))
    writeFileSync(join(this.folder, 'index.html'), '<!doctype html><title>pages</title>')
    writeFileSync(join(this.folder, 'assets', 'app-12345678.js'), SCRIPT)
    writeFileSync(join(this.folder, 'notes.secret'), 'not for the public')
    this.#behind = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { method = '', url = '', headers } = request
        const one = { method, url, headers, body: Buffer.concat(chunks).toString() }
        this.received.push(one)
        this.respond(one, response)
      })
    })
  }

  get behindUrl(): string {
    return `http://127.0.0.1:${(this.#behind.address() as AddressInfo).port}`
  }

  async start(more: Partial<WebOptions> = {}, config: Partial<ConfigDocument> = {}): Promise<Web> {
    const url = this.behindUrl
    const web = createWeb(
      {
        host: '127.0.0.1',
        port: 0,
        virtualHosts: ['localhost'],
        nodes: { l1: null, l2: url },
        services: { index: url, faucet: url, bridge: null, platform: url },
        watched: { nodes: [], roles: [] },
        rate: { perSec: 1_000, burst: 1_000 },
        trusted: [],
        proxies: [],
        ...more,
      },
      {
        files: loadStaticFiles(this.folder),
        config: { ...CONFIG, ...config },
        abis: ABIS,
        incidentStore: createIncidentFile(join(this.folder, 'kept', 'incidents.json'), createSilentLogger()),
        clock: createSystemClock(),
        log: createSilentLogger(),
        metrics: createMetrics('web'),
      },
    )
    await web.start(new AbortController().signal)
    this.#running.push(web)
    return web
  }

  async close(): Promise<void> {
    for (const web of this.#running) {
      await web.network.stop()
      await web.stop()
    }
    this.#behind.closeAllConnections()
    await new Promise((resolve) => this.#behind.close(resolve))
    rmSync(this.folder, { recursive: true })
  }
}

/** `fetch` would tidy the path. */
export function rawGet(web: Web, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`
    const socket = connect(Number(new URL(web.url).port), '127.0.0.1', () => socket.end(request))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => resolve(text)).on('error', reject)
  })
}
